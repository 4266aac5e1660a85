import type { ErrorComponentProps } from "@tanstack/react-router"
import { Problem } from "../design/index.ts"

/** A page that could not be drawn; the rest of the workplace goes on. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  return (
    <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
      <Problem error={error} onRetry={reset} />
    </main>
  )
}
