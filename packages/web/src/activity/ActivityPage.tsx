import { Page } from "../design/Page.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"

export function ActivityPage() {
  const text = useText()
  return (
    <Page title={text("nav.activity")}>
      <SkeletonRows />
    </Page>
  )
}
