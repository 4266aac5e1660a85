import type { documents, OutputOf } from "@chorus/contracts"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { Download, Ellipsis, Pencil, Trash2 } from "lucide-react"
import { useMemo, useState } from "react"
import { Comments } from "../comments/Comments.tsx"
import {
  AskDialog,
  Badge,
  Button,
  IconButton,
  Menu,
  MenuItem,
  MenuLine,
  Page,
  Problem,
  SkeletonRows,
  Tabs,
  toastError,
  When,
  Who,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useHasDraft } from "../live/draft.ts"
import { reloadWhen } from "../live/follow.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useLive, useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { Attachments } from "../sections/Attachments.tsx"
import { isGone } from "../sections/gone.ts"
import { References } from "../sections/References.tsx"
import { saveFile } from "../sections/save-file.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Editor } from "./Editor.tsx"
import { VersionDiff, Versions } from "./Versions.tsx"

type Detail = OutputOf<typeof documents.getDocument>
type Part = "read" | "changes" | "versions" | "comments"

export function DocumentPage() {
  const text = useText()
  const { person } = useSignedIn()
  const { projectUuid, documentUuid } = useParams({ from: "/projects/$projectUuid/documents/$documentUuid" })
  const follow = useMemo(
    () =>
      reloadWhen<Detail>(
        ({ entityType, entityUuid, patch }) =>
          (entityType === "document" && entityUuid === documentUuid) ||
          ((entityType === "reference" || entityType === "attachment") && patch.targetUuid === documentUuid),
      ),
    [documentUuid],
  )
  const { answer: document, status, error, reload } = useOperation("chorus_get_document", { documentUuid }, follow)
  const update = useAction("chorus_pm_update_document")
  const [editing, setEditing] = useState(useHasDraft(`edit.${documentUuid}`))
  const may = mayChange(person)
  // What is being typed is not taken away, even where it can no longer be kept.
  const lost = status === "failed" || (isGone(error) && !editing)
  return (
    <Page
      from={
        <Link to="/projects/$projectUuid/documents" params={{ projectUuid }}>
          {text("nav.documents")}
        </Link>
      }
      title={document?.title ?? text("app.loading")}
      beside={document !== undefined && <Badge>{text(`documents.type.${document.type}`)}</Badge>}
      actions={
        document !== undefined &&
        !editing &&
        !lost && <DocumentActions document={document} may={may} onEdit={() => setEditing(true)} />
      }
    >
      {status === "loading" && <SkeletonRows />}
      {lost && <Problem error={error} onRetry={reload} />}
      {document !== undefined &&
        !lost &&
        (editing ? (
          <Editor
            subject={document}
            of={{ targetType: "document", targetUuid: documentUuid }}
            save={({ expectedVersion, ...written }) => {
              // Whoever goes on at once writes on what they saved, not on what the log has yet to replace.
              const saved = (now: Detail) => ({ ...now, ...written, version: expectedVersion + 1 })
              const amend = [amending("chorus_get_document", { documentUuid }, saved)]
              return update.run({ documentUuid, ...written, expectedVersion }, { tell: false, amend })
            }}
            onDone={() => setEditing(false)}
          />
        ) : (
          <Reader document={document} may={may} />
        ))}
    </Page>
  )
}

function Reader({ document, may }: { readonly document: Detail; readonly may: boolean }) {
  const text = useText()
  const [part, setPart] = useState<Part>("read")
  const [looked, setLooked] = useState<number>()
  const [compared, setCompared] = useState<number>()
  return (
    <Tabs<Part>
      label={text("documents.parts")}
      value={part}
      onChange={setPart}
      tabs={[
        {
          value: "read",
          label: text("documents.read"),
          content:
            looked === undefined ? (
              <Content document={document} />
            ) : (
              <OldVersion document={document} version={looked} onBack={() => setLooked(undefined)} />
            ),
        },
        {
          value: "changes",
          label: text("documents.changes"),
          content: (
            <VersionDiff
              key={compared}
              of={{ targetType: "document", targetUuid: document.uuid }}
              version={document.version}
              initial={compared}
            />
          ),
        },
        {
          value: "versions",
          label: text("documents.versions"),
          count: document.version,
          content: (
            <Versions
              document={document}
              mayWrite={may}
              onLook={(version) => {
                setLooked(version)
                setPart("read")
              }}
              onCompare={(version) => {
                setCompared(version)
                setPart("changes")
              }}
            />
          ),
        },
        {
          value: "comments",
          label: text("comments.title"),
          content: <Comments targetType="document" targetUuid={document.uuid} />,
        },
      ]}
    />
  )
}

function Content({ document }: { readonly document: Detail }) {
  const text = useText()
  const { uuid: targetUuid, version } = document
  const newest = useOperation("chorus_get_version", { targetType: "document", targetUuid, version }).answer
  return (
    <div className="mx-auto grid max-w-3xl gap-8">
      <article>
        <p className="mb-6 flex flex-wrap items-center gap-2 text-xs text-faint">
          <Who actor={newest?.changedBy ?? document.createdBy} />
          {text("documents.version", { number: document.version })}
          <When at={document.updatedAt} />
          {document.proposalUuid !== null && (
            <Link
              to="/projects/$projectUuid/proposals/$proposalUuid"
              params={{ projectUuid: document.projectUuid, proposalUuid: document.proposalUuid }}
              className="text-accent hover:underline"
            >
              {text("documents.fromProposal")}
            </Link>
          )}
        </p>
        <Markdown source={document.content} />
      </article>
      <div
        className={
          document.attachments.length + document.references.length === 0
            ? "flex flex-wrap gap-1"
            : "grid grid-cols-1 gap-6"
        }
      >
        <Attachments targetType="document" targetUuid={document.uuid} attachments={document.attachments} />
        <References targetType="document" targetUuid={document.uuid} references={document.references} />
      </div>
    </div>
  )
}

function OldVersion({
  document,
  version,
  onBack,
}: {
  readonly document: Detail
  readonly version: number
  onBack(): void
}) {
  const text = useText()
  const { answer } = useOperation("chorus_get_version", {
    targetType: "document",
    targetUuid: document.uuid,
    version,
  })
  return (
    <div className="mx-auto max-w-3xl">
      <p className="mb-6 flex flex-wrap items-center gap-3 rounded-lg bg-canvas px-4 py-2 text-sm">
        {text("documents.older", { number: version })}
        <Button size="sm" onClick={onBack}>
          {text("documents.toCurrent")}
        </Button>
      </p>
      {answer === undefined ? <SkeletonRows /> : <Markdown source={answer.content} />}
    </div>
  )
}

function DocumentActions({
  document,
  may,
  onEdit,
}: {
  readonly document: Detail
  readonly may: boolean
  onEdit(): void
}) {
  const text = useText()
  const navigate = useNavigate()
  const { client } = useLive()
  const remove = useAction("chorus_admin_delete_document")
  const [asking, setAsking] = useState(false)
  const download = () =>
    client
      .call("chorus_export_document", { documentUuid: document.uuid })
      .then(({ fileName, content, mediaType }) => saveFile(fileName, content, mediaType), toastError)
  const erase = async () => {
    setAsking(false)
    if ((await remove.run({ documentUuid: document.uuid })) !== undefined)
      await navigate({
        to: "/projects/$projectUuid/documents",
        params: { projectUuid: document.projectUuid },
        ignoreBlocker: true,
      })
  }
  return (
    <>
      {may && (
        <Button icon={Pencil} onClick={onEdit}>
          {text("action.edit")}
        </Button>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={text("action.more")} />} align="end">
        <MenuItem icon={Download} onSelect={() => void download()}>
          {text("documents.export")}
        </MenuItem>
        {may && (
          <>
            <MenuLine />
            <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>
              {text("action.delete")}
            </MenuItem>
          </>
        )}
      </Menu>
      <AskDialog
        open={asking}
        title={text("documents.deleteTitle")}
        description={text("documents.deleteLead")}
        confirm={text("action.delete")}
        tone="danger"
        onClose={() => setAsking(false)}
        onConfirm={() => void erase()}
      >
        <p className="font-medium">{document.title}</p>
      </AskDialog>
    </>
  )
}
