import { Page } from "../design/Page.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"

export function IdeaPage() {
  const text = useText()
  return (
    <Page title={text("nav.ideas")}>
      <SkeletonRows />
    </Page>
  )
}
