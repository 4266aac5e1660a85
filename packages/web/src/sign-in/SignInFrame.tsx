import type { ReactNode } from "react"
import { wordsOf } from "../design/error-words.ts"
import { useText } from "../i18n/language.ts"

interface SignInFrameProps {
  readonly title: string
  readonly lead: string
  readonly busy: boolean
  readonly problem: unknown
  readonly children: ReactNode
  readonly below?: ReactNode
}

/** What stands alone in the window before the workplace. */
export function SignInFrame({ title, lead, busy, problem, children, below }: SignInFrameProps) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-canvas p-6">
      <section className="w-full max-w-sm" aria-busy={busy}>
        <img src="/favicon.svg" alt="" className="mx-auto mb-5 size-11" />
        <h1 className="text-center text-xl font-semibold">{title}</h1>
        <p className="mt-1 mb-6 text-center text-sm text-muted">{lead}</p>
        <div className="grid gap-4 rounded-xl border border-line bg-surface p-6 shadow-(--shadow-raised)">
          {children}
          {problem !== undefined && <Problem problem={problem} />}
        </div>
        {below}
      </section>
    </main>
  )
}

function Problem({ problem }: { readonly problem: unknown }) {
  const text = useText()
  const { title, detail } = wordsOf(problem)
  return (
    <p role="alert" className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed">
      {title}
      {detail !== undefined && <span className="mt-1 block opacity-80">{text("error.next", { next: detail })}</span>}
    </p>
  )
}
