import type { views } from "@chorus/contracts"
import { useState } from "react"
import { Field, Input, Switch, toast } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"
import { keyOf } from "../live/live-store.ts"
import { FormDialog, wordsIn } from "../settings/FormDialog.tsx"

interface SaveViewProps {
  readonly view: Pick<views.ViewRow, "projectUuid" | "layout" | "query">
  onClose(): void
}

export function SaveView({ view, onClose }: SaveViewProps) {
  const text = useText()
  const { store } = useLive()
  const save = useAction("chorus_save_view")
  const [shared, setShared] = useState(false)
  const send = async (form: FormData) => {
    const saved = await save.run({ ...view, name: wordsIn(form, "name"), shared })
    if (saved === undefined) return
    store.reload(keyOf("chorus_list_views", { projectUuid: view.projectUuid, pageSize: 100 }))
    toast(text("items.viewSaved", { name: saved.name }))
    onClose()
  }
  return (
    <FormDialog
      title={text("items.saveView")}
      description={text("items.saveViewLead")}
      submit={text("action.save")}
      busy={save.busy}
      onClose={onClose}
      onSubmit={(form) => void send(form)}
    >
      <Field label={text("items.viewName")}>
        {(ids) => <Input {...ids} name="name" required autoFocus maxLength={80} />}
      </Field>
      <Switch checked={shared} onChange={setShared} label={text("items.share")} hint={text("items.shareHint")} />
    </FormDialog>
  )
}
