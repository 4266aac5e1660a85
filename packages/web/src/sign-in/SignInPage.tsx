import { ChorusError } from "@chorus/contracts"
import { type FormEvent, useEffect, useState } from "react"
import { Button, Field, Input } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { placeAfter } from "./place-after.ts"
import { redeemLink, type Session, signIn } from "../shell/session.ts"

interface SignInPageProps {
  readonly session: Session
  onSignedIn(): void
}

export function SignInPage({ session, onSignedIn }: SignInPageProps) {
  const text = useText()
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  const attempt = async (way: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await way()
      onSignedIn()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  useEffect(() => {
    const token = location.pathname === "/sign-in" ? location.hash.slice(1) : ""
    if (token === "") return
    // The link works once; nobody should find it in the history.
    history.replaceState(null, "", placeAfter(location.search))
    void attempt(() => redeemLink(token))
  }, [])

  const [before, after] = text("signIn.linkHint", { command: "\u0000" }).split("\u0000")

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void attempt(() => signIn(String(form.get("email")), String(form.get("password"))))
  }

  return (
    <main className="grid min-h-full place-items-center bg-canvas p-6">
      <section className="w-full max-w-sm" aria-busy={busy}>
        <img src="/favicon.svg" alt="" className="mx-auto mb-5 size-11" />
        <h1 className="text-center text-xl font-semibold">{text("signIn.title")}</h1>
        <p className="mt-1 mb-6 text-center text-sm text-muted">{text("signIn.lead")}</p>
        <div className="grid gap-4 rounded-xl border border-line bg-surface p-6 shadow-(--shadow-raised)">
          {session.ways.oidc !== null && (
            <>
              <Button asChild tone="primary" size="lg">
                <a href="/api/auth/oidc/start">{text("signIn.withProvider", { name: session.ways.oidc.name })}</a>
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
            <Button type="submit" size="lg" tone={session.ways.oidc === null ? "primary" : "secondary"} disabled={busy}>
              {busy ? text("signIn.redeeming") : text("signIn.submit")}
            </Button>
          </form>
          {problem !== undefined && <SignInProblem problem={problem} />}
        </div>
        <p className="mt-5 text-center text-xs text-faint">
          {before}
          <code className="rounded-sm bg-sunken px-1 py-0.5 text-muted">chorus signin</code>
          {after}
        </p>
      </section>
    </main>
  )
}

function SignInProblem({ problem }: { readonly problem: unknown }) {
  const text = useText()
  const next = problem instanceof ChorusError ? problem.next : undefined
  return (
    <p role="alert" className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed">
      {problem instanceof Error ? problem.message : String(problem)}
      {next !== undefined && <span className="mt-1 block opacity-80">{text("error.next", { next })}</span>}
    </p>
  )
}
