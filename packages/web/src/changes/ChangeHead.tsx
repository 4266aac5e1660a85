import type { changes } from "@chorus/contracts"
import { TriangleAlert } from "lucide-react"
import { memo, useMemo } from "react"
import { Badge } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { type FileFolder, fileTree, nameOf } from "./file-tree.ts"
import { Counts, fileId } from "./FileDiff.tsx"

/** What it was compared with, what could not be shown, and what deserves a look before the rest. */
export function ChangeHead({ version }: { readonly version: changes.ChangeRow }) {
  const text = useText()
  const base = version.baseRef ?? version.baseCommit?.slice(0, 10) ?? text("changes.noBase")
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <span>{text("changes.files", { count: version.fileCount })}</span>
        <Counts additions={version.additions} deletions={version.deletions} />
        <span className="font-mono text-xs break-all">
          {version.branch ?? version.headCommit?.slice(0, 10) ?? ""} ← {base}
        </span>
        {version.baseMoved && <Badge tone="waiting">{text("changes.baseMoved")}</Badge>}
        {version.uncommitted > 0 && <Badge>{text("changes.uncommitted", { count: version.uncommitted })}</Badge>}
      </p>
      {version.warnings.length > 0 && (
        <ul className="grid gap-1 text-muted">
          {version.warnings.map((warning) => (
            <li key={warning} className="flex gap-2">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-waiting" />
              <span className="min-w-0 break-words">{warning}</span>
            </li>
          ))}
        </ul>
      )}
      {version.points.length > 0 && (
        <section aria-label={text("changes.lookFirst")} className="rounded-lg bg-waiting-soft px-3 py-2">
          <h3 className="font-medium text-waiting">{text("changes.lookFirst")}</h3>
          <ul className="grid gap-1">
            {version.points.map((point, at) => (
              <li key={at} className="min-w-0 break-words">
                <Badge tone="waiting">{text(`changes.point.${point.kind}`)}</Badge>{" "}
                <a href={`#${fileId(point.path)}`} className="font-mono text-xs hover:underline">
                  {point.path}
                </a>{" "}
                <span className="text-muted">{point.what}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

interface FileListProps {
  readonly files: readonly changes.ChangeFile[]
  readonly viewed: ReadonlySet<string>
  readonly threads: readonly changes.PlacedThread[]
  onGo(path: string): void
}

/** The files in their folders, with what is new in each and what has been seen. */
export const FileList = memo(function FileList({ files, ...look }: FileListProps) {
  const text = useText()
  const tree = useMemo(() => fileTree(files), [files])
  return (
    <nav aria-label={text("changes.fileList")} className="max-h-64 overflow-y-auto rounded-lg border border-line py-1">
      <FolderRows folder={tree} depth={0} {...look} />
    </nav>
  )
})

interface FolderRowsProps extends Omit<FileListProps, "files"> {
  readonly folder: FileFolder<changes.ChangeFile>
  readonly depth: number
}

function FolderRows({ folder, depth, viewed, threads, onGo }: FolderRowsProps) {
  const text = useText()
  const indent = { paddingLeft: `${depth * 0.75 + 0.75}rem` }
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.path}>
          <details open>
            <summary className="flex cursor-pointer gap-2 py-1 pr-3 text-xs text-muted hover:bg-hover" style={indent}>
              <span className="min-w-0 flex-1 truncate font-mono">{inner.name}/</span>
              <Counts additions={inner.additions} deletions={inner.deletions} />
            </summary>
            <FolderRows folder={inner} depth={depth + 1} viewed={viewed} threads={threads} onGo={onGo} />
          </details>
        </li>
      ))}
      {folder.files.map((file) => {
        const open = threads.filter(({ state, now }) => state === "open" && now?.file === file.path).length
        return (
          <li key={file.path}>
            <button
              type="button"
              title={file.path}
              onClick={() => onGo(file.path)}
              className="flex w-full cursor-pointer items-center gap-2 py-1 pr-3 text-left text-xs hover:bg-hover"
              style={indent}
            >
              <span aria-label={viewed.has(file.path) ? text("changes.viewed") : undefined} className="w-3 text-done">
                {viewed.has(file.path) ? "✓" : ""}
              </span>
              <span className="min-w-0 flex-1 truncate font-mono">{nameOf(file)}</span>
              {open > 0 && <Badge tone="waiting">{open}</Badge>}
              <Counts additions={file.additions} deletions={file.deletions} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
