import { Skeleton } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

const CARDS = [4, 2, 3, 1]

export function BoardSkeleton() {
  const text = useText()
  return (
    <div
      role="status"
      aria-label={text("app.loading")}
      className="grid min-h-0 flex-1 auto-cols-[minmax(min(236px,80vw),1fr)] grid-flow-col gap-3 overflow-hidden p-3 md:p-4"
    >
      {CARDS.map((cards, column) => (
        <div key={column} className="rounded-xl bg-canvas p-2">
          <Skeleton className="my-1.5 ml-1 h-4 w-24" />
          <div className="mt-3 grid gap-2">
            {Array.from({ length: cards }, (_, card) => (
              <Skeleton key={card} className="h-20 w-full rounded-lg" />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
