import type { Role } from "@chorus/contracts"
import { Field, Input, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { FormDialog, wordsIn } from "./FormDialog.tsx"

interface InviteDialogProps {
  onClose(): void
  onInvited(link: { readonly signInPath: string; readonly expiresAt: string }): void
}

const INVITABLE: readonly Role[] = ["member", "viewer", "admin"]

export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const text = useText()
  const invite = useAction("chorus_invite_member")
  const submit = async (form: FormData) => {
    const email = wordsIn(form, "email")
    const made = await invite.run({
      name: wordsIn(form, "name"),
      role: form.get("role") as Role,
      ...(email === "" ? {} : { email }),
    })
    if (made !== undefined) onInvited(made)
  }
  return (
    <FormDialog
      title={text("settings.members.invite")}
      description={text("settings.members.inviteLead")}
      submit={text("settings.members.invite")}
      busy={invite.busy}
      onClose={onClose}
      onSubmit={(form) => void submit(form)}
    >
      <Field label={text("settings.name")}>
        {(ids) => <Input {...ids} name="name" required maxLength={80} autoFocus />}
      </Field>
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
    </FormDialog>
  )
}
