import { useText } from "../i18n/language.ts"

/** Says that what stands here was begun earlier, and lets one begin anew. */
export function DraftNote({ draft }: { readonly draft: { readonly resumed: boolean; drop(): void } }) {
  const text = useText()
  if (!draft.resumed) return null
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-xs text-faint">
      <span>{text("draft.resumed")}</span>
      <button type="button" onClick={draft.drop} className="cursor-pointer font-medium text-accent hover:underline">
        {text("draft.drop")}
      </button>
    </p>
  )
}
