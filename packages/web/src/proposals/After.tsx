import { useText } from "../i18n/language.ts"

/** What a task of a plan comes after, in one line; nothing where it can begin at once. */
export function After({ names }: { readonly names: readonly string[] }) {
  const text = useText()
  if (names.length === 0) return null
  return (
    <span className="block text-xs font-normal wrap-anywhere text-muted">
      {text("proposals.after", { names: names.join(", ") })}
    </span>
  )
}
