import type { documents, OutputOf } from "@chorus/contracts"
import { ChorusError } from "@chorus/contracts"
import { useState } from "react"
import { Button } from "../design/Button.tsx"
import { Field, Input, TextArea } from "../design/Field.tsx"
import { Segmented } from "../design/Segmented.tsx"
import { toastError } from "../design/toasts.ts"
import { useText } from "../i18n/language.ts"
import { onModEnter } from "../keys/keys.ts"
import { useAction } from "../live/use-action.ts"
import { Markdown } from "../markdown/Markdown.tsx"

interface EditorProps {
  readonly document: OutputOf<typeof documents.getDocument>
  onDone(): void
}

/** Writes a new version. Whoever saved meanwhile is not written over unknowingly. */
export function Editor({ document, onDone }: EditorProps) {
  const text = useText()
  const update = useAction("chorus_pm_update_document")
  const [begun] = useState(document.version)
  const [title, setTitle] = useState(document.title)
  const [content, setContent] = useState(document.content)
  const [look, setLook] = useState<"write" | "preview">("write")
  const stale = document.version !== begun
  const save = async () => {
    if (title.trim() === "" || update.busy) return
    try {
      const saved = await update.run({ documentUuid: document.uuid, title: title.trim(), content, expectedVersion: document.version }, { tell: false })
      if (saved !== undefined) onDone()
    } catch (error) {
      // The newer version arrives with the log and is shown above the text; nothing typed is lost.
      if (!(error instanceof ChorusError && error.code === "stale_version")) toastError(error)
    }
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {stale && (
        <div role="alert" className="rounded-lg bg-waiting-soft px-4 py-3 text-sm text-waiting">
          <p className="font-medium">{text("documents.stale", { number: document.version })}</p>
          <p>{text("documents.staleLead")}</p>
        </div>
      )}
      <Field label={text("tasks.title")}>{(ids) => <Input {...ids} maxLength={256} value={title} onChange={(event) => setTitle(event.target.value)} />}</Field>
      <div className="lg:hidden">
        <Segmented
          label={text("documents.content")}
          value={look}
          onChange={setLook}
          options={[
            { value: "write", label: text("documents.write") },
            { value: "preview", label: text("documents.preview") },
          ]}
        />
      </div>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <div className={look === "write" ? "" : "hidden lg:block"}>
          <Field label={text("documents.content")} hint={text("tasks.markdownHint")}>
            {(ids) => <TextArea {...ids} autoFocus rows={28} className="font-mono text-sm" value={content} onChange={(event) => setContent(event.target.value)} onKeyDown={onModEnter(() => void save())} />}
          </Field>
        </div>
        <div className={look === "preview" ? "min-w-0" : "hidden min-w-0 lg:block"}>
          <p className="mb-1.5 text-sm font-medium text-muted">{text("documents.preview")}</p>
          <div className="rounded-md border border-line px-4 py-3">
            <Markdown source={content} />
          </div>
        </div>
      </div>
      <div className="flex gap-2">
        <Button tone="primary" disabled={update.busy || title.trim() === ""} onClick={() => void save()}>
          {text(stale ? "documents.overwrite" : "action.save")}
        </Button>
        <Button onClick={onDone}>{text("action.cancel")}</Button>
      </div>
    </div>
  )
}
