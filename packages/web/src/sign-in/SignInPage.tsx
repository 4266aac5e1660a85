import { ChorusError } from "@chorus/contracts"
import { type FormEvent, useEffect, useState } from "react"
import { useText } from "../i18n/language.ts"
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
    history.replaceState(null, "", "/")
    void attempt(() => redeemLink(token))
  }, [])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void attempt(() => signIn(String(form.get("email")), String(form.get("password"))))
  }

  return (
    <main className="grid min-h-full place-items-center p-6">
      <section className="w-full max-w-sm rounded-xl border border-line bg-surface p-8 shadow-(--shadow-raised)" aria-busy={busy}>
        <img src="/favicon.svg" alt="" className="mb-6 size-10" />
        <h1 className="mb-6 text-xl font-semibold">{text("signIn.title")}</h1>
        <form onSubmit={submit} className="grid gap-4">
          <label className="grid gap-1 text-sm text-muted">
            {text("signIn.email")}
            <input name="email" type="email" autoComplete="username" required className="rounded-md border border-line-strong bg-canvas px-3 py-2 text-base text-ink" />
          </label>
          <label className="grid gap-1 text-sm text-muted">
            {text("signIn.password")}
            <input name="password" type="password" autoComplete="current-password" required className="rounded-md border border-line-strong bg-canvas px-3 py-2 text-base text-ink" />
          </label>
          <button type="submit" disabled={busy} className="rounded-md bg-accent px-4 py-2 font-medium text-accent-ink transition-opacity disabled:opacity-60">
            {busy ? text("signIn.redeeming") : text("signIn.submit")}
          </button>
        </form>
        {session.ways.oidc !== null && (
          <a href="/api/auth/oidc/start" className="mt-3 block rounded-md border border-line-strong px-4 py-2 text-center font-medium">
            {text("signIn.withProvider", { name: session.ways.oidc.name })}
          </a>
        )}
        {problem !== undefined && <SignInProblem problem={problem} />}
        <p className="mt-6 text-xs text-faint">{text("signIn.linkHint", { command: "chorus signin" })}</p>
      </section>
    </main>
  )
}

function SignInProblem({ problem }: { readonly problem: unknown }) {
  const text = useText()
  const next = problem instanceof ChorusError ? problem.next : undefined
  return (
    <p role="alert" className="mt-4 rounded-md bg-failed-soft px-3 py-2 text-sm text-failed">
      {problem instanceof Error ? problem.message : String(problem)}
      {next !== undefined && <span className="mt-1 block opacity-80">{text("error.next", { next })}</span>}
    </p>
  )
}
