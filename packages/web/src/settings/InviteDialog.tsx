import type { Role } from "@chorus/contracts"
import { type FormEvent, useId } from "react"
import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { Field, Input, Select } from "../design/Field.tsx"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"

interface InviteDialogProps {
  onClose(): void
  onInvited(link: { readonly signInPath: string; readonly expiresAt: string }): void
}

const INVITABLE: readonly Role[] = ["member", "viewer", "admin"]

export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const text = useText()
  const formId = useId()
  const invite = useAction("chorus_invite_member")
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const email = String(form.get("email")).trim()
    const made = await invite.run({ name: String(form.get("name")).trim(), role: form.get("role") as Role, ...(email === "" ? {} : { email }) })
    if (made !== undefined) onInvited(made)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text("settings.members.invite")}
      description={text("settings.members.inviteLead")}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button tone="primary" type="submit" form={formId} disabled={invite.busy}>
            {text("settings.members.invite")}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label={text("settings.name")}>{(ids) => <Input {...ids} name="name" required maxLength={80} autoFocus />}</Field>
        <Field label={text("settings.email")} hint={text("settings.emailHint")}>
          {(ids) => <Input {...ids} name="email" type="email" />}
        </Field>
        <Field label={text("settings.role")}>
          {(ids) => (
            <Select {...ids} name="role" defaultValue="member">
              {INVITABLE.map((role) => (
                <option key={role} value={role}>
                  {text(`settings.role.${role}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  )
}
