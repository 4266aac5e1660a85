import { Page } from "../design/Page.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"

export function DocumentsPage() {
  const text = useText()
  return (
    <Page title={text("nav.documents")}>
      <SkeletonRows />
    </Page>
  )
}
