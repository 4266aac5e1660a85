import type { SignInState } from "@chorus/contracts"
import { type FormEvent, useState } from "react"
import { Button, Field, Input } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Secret } from "../settings/Secret.tsx"
import { servedCommand } from "../welcome/commands.ts"
import { leftPlace } from "./left-place.ts"
import { signIn } from "./sign-in.ts"
import { SignInFrame } from "./SignInFrame.tsx"
import type { SignInHere } from "./use-sign-in.ts"

interface SignInPageProps extends Pick<SignInHere, "problem" | "attempt"> {
  readonly ways: SignInState["ways"]
}

export function SignInPage({ ways, problem, attempt }: SignInPageProps) {
  const text = useText()
  const [busy, setBusy] = useState(false)

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    void attempt(() => signIn(String(form.get("email")), String(form.get("password")))).finally(() => setBusy(false))
  }

  return (
    <SignInFrame
      title={text("signIn.title")}
      lead={text(leftPlace() === undefined ? "signIn.lead" : "signIn.ended")}
      busy={busy}
      problem={problem}
      below={
        <div className="mt-5 grid grid-cols-1 gap-1.5">
          <p className="text-center text-xs text-faint">{text("signIn.linkHint")}</p>
          <Secret label={text("signIn.linkCommand")} value={`${servedCommand(location.origin)} signin`} />
        </div>
      }
    >
      {ways.oidc !== null && (
        <>
          <Button asChild tone="primary" size="lg">
            <a href="/api/auth/oidc/start">{text("signIn.withProvider", { name: ways.oidc.name })}</a>
          </Button>
          <p className="text-center text-xs text-faint">{text("signIn.or")}</p>
        </>
      )}
      <form onSubmit={submit} className="grid gap-4">
        <Field label={text("signIn.email")}>
          {(ids) => <Input {...ids} name="email" type="email" autoComplete="username" required />}
        </Field>
        <Field label={text("signIn.password")}>
          {(ids) => <Input {...ids} name="password" type="password" autoComplete="current-password" required />}
        </Field>
        <Button type="submit" size="lg" tone={ways.oidc === null ? "primary" : "secondary"} disabled={busy}>
          {busy ? text("signIn.redeeming") : text("signIn.submit")}
        </Button>
      </form>
    </SignInFrame>
  )
}
