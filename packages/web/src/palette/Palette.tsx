import { Dialog } from "../design/Dialog.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"

export function Palette({ onClose }: { onClose(): void }) {
  const text = useText()
  return (
    <Dialog open onOpenChange={onClose} title={text("nav.search")}>
      <SkeletonRows />
    </Dialog>
  )
}
