import { useText } from "../i18n/language.ts"
import { classes } from "./classes.ts"

/** A grey shape where something is about to be. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={classes("block animate-pulse rounded-md bg-sunken", className ?? "h-4 w-full")} />
}

/** Rows on their way; said aloud once. */
export function SkeletonRows({ rows = 5 }: { readonly rows?: number }) {
  const text = useText()
  return (
    <div role="status" aria-label={text("app.loading")} className="grid gap-2">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className="h-12 w-full rounded-lg" />
      ))}
    </div>
  )
}
