import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  /** The one thing to do next. */
  readonly action?: ReactNode
}

/** What stands where nothing is yet: why, and one next step. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <section className="mx-auto flex max-w-sm flex-col items-center px-6 py-16 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-xl border border-line bg-surface text-muted shadow-(--shadow-card)">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children !== undefined && <p className="mt-1 text-sm text-muted">{children}</p>}
      {action !== undefined && <div className="mt-5 max-w-full">{action}</div>}
    </section>
  )
}
