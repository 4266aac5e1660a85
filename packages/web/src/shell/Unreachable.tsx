import { useText } from "../i18n/language.ts"

/** The server did not answer the first question; the page asks again by itself. */
export function Unreachable() {
  const text = useText()
  return (
    <main className="grid h-full place-items-center overflow-y-auto p-6">
      <p role="status" className="flex items-center gap-3 text-muted">
        <img src="/favicon.svg" alt="" className="size-8 animate-pulse" />
        {text("app.unreachable")}
      </p>
    </main>
  )
}
