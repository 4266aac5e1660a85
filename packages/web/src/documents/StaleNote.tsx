import { useText } from "../i18n/language.ts"

/** Somebody saved while this was being written. */
export function StaleNote({ version }: { readonly version: number }) {
  const text = useText()
  return (
    <div role="alert" className="rounded-lg bg-waiting-soft px-4 py-3 text-sm text-waiting">
      <p className="font-medium">{text("documents.stale", { number: version })}</p>
      <p>{text("documents.staleLead")}</p>
    </div>
  )
}
