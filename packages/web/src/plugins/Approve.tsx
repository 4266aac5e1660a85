import type { CuratedPlugin, machines } from "@chorus/contracts"
import { Button, Dialog } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Comparison, Warning } from "./Comparison.tsx"
import { Hash, SurfaceList } from "./Surface.tsx"

interface ApproveProps {
  readonly plugin: machines.KnownPlugin
  /** What is approved so far. */
  readonly before: CuratedPlugin | undefined
  onClose(): void
  onApprove(): void
}

/** Nobody approves bytes unseen: what was approved and what would be stand side by side. */
export function Approve({ plugin, before, onClose, onApprove }: ApproveProps) {
  const text = useText()
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={text("plugins.confirmTitle", { name: plugin.id })}
      description={text("plugins.confirmLead")}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button tone="primary" onClick={onApprove}>
            {text("plugins.approve")}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3">
        {before === undefined ? (
          <>
            <p className="flex flex-wrap gap-x-4 text-sm text-muted">
              <span>
                {text("plugins.version")} <span className="text-ink tabular-nums">{plugin.version}</span>
              </span>
              <span>
                {text("plugins.content")} <Hash value={plugin.contentHash} />
              </span>
            </p>
            <SurfaceList surface={plugin.surface} unseen={plugin.unseen} />
          </>
        ) : (
          <>
            {before.surfaceHash !== plugin.surfaceHash && <Warning>{text("plugins.surfaceChanged")}</Warning>}
            <Comparison
              successive
              left={{ ...before, title: text("plugins.before"), surface: before.surface }}
              right={{
                ...plugin,
                title: text("plugins.after"),
                version: plugin.version,
                contentHash: plugin.contentHash,
                surface: plugin.surface,
              }}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}
