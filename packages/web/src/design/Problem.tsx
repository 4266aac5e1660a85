import { ChorusError } from "@chorus/contracts"
import { CircleAlert } from "lucide-react"
import { useText } from "../i18n/language.ts"
import { Button } from "./Button.tsx"

interface ProblemProps {
  readonly error: unknown
  onRetry?(): void
}

/** What went wrong, in place of what should be here. */
export function Problem({ error, onRetry }: ProblemProps) {
  const text = useText()
  const next = error instanceof ChorusError ? error.next : undefined
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <CircleAlert aria-hidden className="mb-3 size-6 text-failed" />
      <p className="font-medium">{error instanceof Error ? error.message : text("error.unknown")}</p>
      {next !== undefined && <p className="mt-1 text-sm text-muted">{next}</p>}
      {onRetry !== undefined && (
        <Button className="mt-4" onClick={onRetry}>
          {text("action.retry")}
        </Button>
      )}
    </div>
  )
}
