import type { ReactNode } from "react"
import { Problem, SkeletonRows } from "../design/index.ts"
import type { Loaded } from "../live/use-operation.ts"

interface SectionProps {
  readonly title: string
  readonly lead?: string | undefined
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** One group of settings with its name and what it is about. */
export function Section({ title, lead, action, children }: SectionProps) {
  return (
    <section className="mb-10">
      <header className="mb-4 flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-52">
          <h2 className="text-lg font-semibold">{title}</h2>
          {lead !== undefined && <p className="mt-0.5 text-sm text-muted">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

/** Rows of the same kind in one frame. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <ul className="divide-y divide-line rounded-lg border border-line bg-surface">{children}</ul>
}

export function Row({ children }: { readonly children: ReactNode }) {
  return <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">{children}</li>
}

/** In place of what is not there yet: on its way, or why it does not come. */
export function Pending({
  of,
  rows = 5,
}: {
  readonly of: Pick<Loaded<unknown>, "status" | "error" | "reload">
  readonly rows?: number
}) {
  return of.status === "failed" ? <Problem error={of.error} onRetry={of.reload} /> : <SkeletonRows rows={rows} />
}
