import type { documents, OutputOf, versions } from "@chorus/contracts"
import { useState } from "react"
import { Badge, Button, Nothing, Rows, Select, SkeletonRows, toast, toastError, When, Who } from "../design/index.ts"
import { DiffView } from "../diff/DiffView.tsx"
import { say, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useLive, useOperation } from "../live/use-operation.ts"

type Detail = OutputOf<typeof documents.getDocument>

interface VersionsProps {
  readonly document: Detail
  readonly mayWrite: boolean
  onLook(version: number): void
  onCompare(version: number): void
}

/** Every version there was; each can be looked at, compared and brought back. */
export function Versions({ document, mayWrite, onLook, onCompare }: VersionsProps) {
  const text = useText()
  const { client } = useLive()
  const update = useAction("chorus_pm_update_document")
  const { answer } = useOperation(
    "chorus_get_versions",
    { targetType: "document", targetUuid: document.uuid, pageSize: 100 },
    reloadWhen(({ entityType, entityUuid }) => entityType === "document" && entityUuid === document.uuid),
  )
  if (answer === undefined) return <SkeletonRows rows={3} />
  const restore = async (version: number) => {
    const before = await client
      .call("chorus_get_version", { targetType: "document", targetUuid: document.uuid, version })
      .catch(toastError)
    if (before === undefined) return
    const { title, content } = before
    if (
      (await update.run({ documentUuid: document.uuid, title, content, expectedVersion: document.version })) !==
      undefined
    )
      toast(say("documents.restored", { number: version }))
  }
  return (
    <Rows label={text("documents.versions")}>
      {answer.versions.map((row) => (
        <li key={row.version} className="flex flex-wrap items-center gap-2 px-3 py-2 text-sm">
          <span className="font-medium tabular-nums">{text("documents.version", { number: row.version })}</span>
          {row.version === document.version && <Badge tone="done">{text("documents.current")}</Badge>}
          <Who actor={row.changedBy} />
          <When at={row.changedAt} />
          {row.version !== document.version && (
            <span className="ml-auto flex gap-1">
              <Button size="sm" tone="ghost" onClick={() => onLook(row.version)}>
                {text("documents.look")}
              </Button>
              <Button size="sm" tone="ghost" onClick={() => onCompare(row.version)}>
                {text("documents.compare")}
              </Button>
              {mayWrite && (
                <Button size="sm" tone="ghost" disabled={update.busy} onClick={() => void restore(row.version)}>
                  {text("documents.restore")}
                </Button>
              )}
            </span>
          )}
        </li>
      ))}
    </Rows>
  )
}

interface VersionDiffProps {
  readonly of: { readonly targetType: versions.VersionTarget; readonly targetUuid: string }
  /** The present one. */
  readonly version: number
  readonly initial?: number | undefined
}

/** How an idea or a task was worded, by whom, and what each change was. */
export function TextHistory({ of, version }: Omit<VersionDiffProps, "initial">) {
  const text = useText()
  const { answer } = useOperation(
    "chorus_get_versions",
    { ...of, pageSize: 100 },
    reloadWhen(({ entityUuid }) => entityUuid === of.targetUuid),
  )
  if (answer === undefined) return <SkeletonRows rows={3} />
  return (
    <div className="grid grid-cols-1 gap-4">
      <Rows label={text("documents.versions")}>
        {answer.versions.map((row) => (
          <li key={row.version} className="flex flex-wrap items-center gap-2 px-3 py-2 text-sm">
            <span className="font-medium tabular-nums">{text("documents.version", { number: row.version })}</span>
            <Who actor={row.changedBy} />
            <When at={row.changedAt} />
          </li>
        ))}
      </Rows>
      <VersionDiff key={version} of={of} version={version} />
    </div>
  )
}

/** Two versions side by side as what changed between them. */
export function VersionDiff({ of, version, initial }: VersionDiffProps) {
  const text = useText()
  const [from, setFrom] = useState(initial ?? version - 1)
  const [to, setTo] = useState(version)
  const { answer } = useOperation("chorus_diff_versions", version > 1 ? { ...of, from, to } : null)
  if (version < 2) return <Nothing>{text("documents.oneVersion")}</Nothing>
  const renamed = answer !== undefined && answer.title.before !== answer.title.after ? answer.title : undefined
  const numbers = Array.from({ length: version }, (_, at) => version - at)
  const select = (label: string, value: number, onChange: (version: number) => void) => (
    <label className="flex items-center gap-2">
      {label}
      <Select className="w-32" value={String(value)} onChange={(event) => onChange(Number(event.target.value))}>
        {numbers.map((number) => (
          <option key={number} value={number}>
            {text("documents.version", { number })}
          </option>
        ))}
      </Select>
    </label>
  )
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
        {select(text("documents.compareFrom"), from, setFrom)}
        {select(text("documents.compareTo"), to, setTo)}
        {answer !== undefined && (renamed === undefined || answer.added + answer.removed > 0) && (
          <span className="text-xs text-faint">
            {text("documents.changedLines", { added: answer.added, removed: answer.removed })}
          </span>
        )}
      </div>
      {renamed !== undefined && (
        <DiffView
          label={text("documents.titleChange")}
          numbers={false}
          lines={[
            { kind: "removed", text: renamed.before },
            { kind: "added", text: renamed.after },
          ]}
        />
      )}
      {answer === undefined ? (
        <SkeletonRows rows={3} />
      ) : (
        <DiffView key={`${from}-${to}`} label={text("documents.changes")} lines={answer.lines} />
      )}
    </div>
  )
}
