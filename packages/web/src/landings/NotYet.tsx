import { useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"

/** Said before somebody merges: that the machine which has the work does not allow it, and what to run there. */
export function NotYet({ obstacle }: { readonly obstacle: string | null }) {
  const text = useText()
  if (obstacle === null) return null
  return (
    <p className="rounded-md bg-waiting-soft px-3 py-2 text-sm wrap-anywhere text-waiting">
      {text("landings.notYet")} <Reason text={obstacle} />
    </p>
  )
}
