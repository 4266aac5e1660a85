import { Dialog } from "radix-ui"
import type { ReactNode } from "react"

interface DrawerProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly title: string
  readonly children: ReactNode
}

/** The navigation where the window is too narrow to keep it open. */
export function Drawer({ open, onOpenChange, title, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] animate-fade border-r border-line bg-canvas"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
