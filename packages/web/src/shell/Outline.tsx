import { useText } from "../i18n/language.ts"
import { PageSkeleton } from "./PageSkeleton.tsx"

/** The workplace before it is known whose: as the page's own file draws it before any code has come. */
export function Outline() {
  const text = useText()
  return (
    <div className="flex h-full">
      <div className="hidden w-58 shrink-0 border-r border-line bg-canvas px-4 leading-12 font-semibold md:block">
        {text("app.name")}
      </div>
      <div className="flex min-w-0 flex-1 flex-col bg-surface">
        <PageSkeleton />
      </div>
    </div>
  )
}
