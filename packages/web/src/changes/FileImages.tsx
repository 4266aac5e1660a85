import type { changes, TaskId } from "@chorus/contracts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
}

export function isImage(path: string): boolean {
  return typeOf(path) !== undefined
}

/** What a picture was and what it became, side by side. */
export function FileImages({ taskUuid, file }: { readonly taskUuid: TaskId; readonly file: changes.ChangeFile }) {
  const text = useText()
  return (
    <div className="grid grid-cols-1 gap-3 p-3 sm:grid-cols-2">
      <Picture taskUuid={taskUuid} path={file.path} sha256={file.beforeSha} label={text("changes.before")} />
      <Picture taskUuid={taskUuid} path={file.path} sha256={file.afterSha} label={text("changes.after")} />
    </div>
  )
}

interface PictureProps {
  readonly taskUuid: TaskId
  readonly path: string
  readonly sha256: string | null
  readonly label: string
}

function Picture({ taskUuid, path, sha256, label }: PictureProps) {
  const text = useText()
  const { answer } = useOperation("chorus_get_change_content", sha256 === null ? null : { taskUuid, sha256 })
  return (
    <figure className="grid content-start gap-1 text-xs text-muted">
      <figcaption>{label}</figcaption>
      {answer === undefined ? (
        <span>{sha256 === null ? text("changes.noPicture") : text("app.loading")}</span>
      ) : (
        <img
          alt={`${label}: ${path}`}
          src={`data:${typeOf(path) ?? ""};base64,${answer.contentBase64}`}
          className="max-h-80 max-w-full rounded-md border border-line object-contain"
        />
      )}
    </figure>
  )
}

function typeOf(path: string): string | undefined {
  return TYPES[/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""]
}
