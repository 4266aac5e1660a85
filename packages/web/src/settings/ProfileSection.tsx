import { type FormEvent, useState } from "react"
import { Button, Field, Input, Segmented, setTheme, toast, toastError, Unsaved, useTheme } from "../design/index.ts"
import { LANGUAGES, setLanguage, useLanguage, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { isSteward } from "../shell/rights.ts"
import { changePassword } from "../sign-in/sign-in.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Pending, Section } from "./Section.tsx"
import { themeChoices } from "./theme-choices.ts"

export function ProfileSection() {
  const text = useText()
  const theme = useTheme()
  const language = useLanguage()
  const { person, refresh } = useSignedIn()
  const me = useOperation("chorus_get_me", {})
  const update = useAction("chorus_update_me")
  const [changed, setChanged] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const email = String(form.get("email") ?? "").trim()
    const done = await update.run({
      name: String(form.get("name")).trim(),
      ...(isSteward(person) ? { email: email === "" ? null : email } : {}),
    })
    if (done === undefined) return
    setChanged(false)
    toast(text("action.saved"))
    me.reload()
    refresh()
  }
  if (me.answer === undefined) return <Pending of={me} rows={3} />
  return (
    <>
      <Section title={text("settings.profile")}>
        <Unsaved changed={changed} />
        <form
          key={me.answer.uuid}
          onInput={() => setChanged(true)}
          onSubmit={(event) => void submit(event)}
          className="grid max-w-md gap-4"
        >
          <Field label={text("settings.name")}>
            {(ids) => (
              <Input {...ids} name="name" defaultValue={me.answer?.name} required maxLength={80} autoComplete="name" />
            )}
          </Field>
          <Field
            label={text("settings.email")}
            hint={text(isSteward(person) ? "settings.emailHint" : "settings.emailFixed")}
          >
            {(ids) => (
              <Input
                {...ids}
                name="email"
                type="email"
                defaultValue={me.answer?.email ?? ""}
                disabled={!isSteward(person)}
                autoComplete="email"
              />
            )}
          </Field>
          <div>
            <Button tone="primary" type="submit" disabled={update.busy}>
              {text("action.save")}
            </Button>
          </div>
        </form>
      </Section>
      {me.answer.email !== null && <PasswordForm hasPassword={me.answer.hasPassword} onChanged={me.reload} />}
      <Section title={text("settings.appearance")}>
        <div className="flex flex-wrap gap-4">
          <Segmented label={text("menu.theme")} value={theme} onChange={setTheme} options={themeChoices(text)} />
          <Segmented
            label={text("menu.language")}
            value={language}
            onChange={(next) => void setLanguage(next).catch(toastError)}
            options={LANGUAGES}
          />
        </div>
      </Section>
    </>
  )
}

interface PasswordFormProps {
  readonly hasPassword: boolean
  onChanged(): void
}

function PasswordForm({ hasPassword, onChanged }: PasswordFormProps) {
  const text = useText()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    setBusy(true)
    try {
      await changePassword(String(form.get("password")), hasPassword ? String(form.get("current")) : undefined)
      element.reset()
      toast(text("settings.passwordDone"))
      onChanged()
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title={text(hasPassword ? "settings.passwordChange" : "settings.passwordSet")}>
      <form onSubmit={(event) => void submit(event)} className="grid max-w-md gap-4">
        {hasPassword && (
          <Field label={text("settings.passwordCurrent")}>
            {(ids) => <Input {...ids} name="current" type="password" required autoComplete="current-password" />}
          </Field>
        )}
        <Field label={text("settings.passwordNew")} hint={text("settings.passwordHint")}>
          {(ids) => (
            <Input {...ids} name="password" type="password" required minLength={10} autoComplete="new-password" />
          )}
        </Field>
        <div>
          <Button type="submit" disabled={busy}>
            {text("action.save")}
          </Button>
        </div>
      </form>
    </Section>
  )
}
