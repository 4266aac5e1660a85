import type { documents, drafts, OutputOf } from "@chorus/contracts"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { FileText, Plus } from "lucide-react"
import { useMemo, useState } from "react"
import {
  AskDialog,
  Badge,
  Button,
  EmptyState,
  Field,
  Input,
  Nothing,
  onEnter,
  Page,
  Problem,
  RowFacts,
  Rows,
  Select,
  SkeletonRows,
  Who,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

type Answer = OutputOf<typeof documents.getDocuments>
type Kind = drafts.DocumentType

const KINDS = ["prd", "tech_design", "adr", "spec", "guide", "report"] as const satisfies readonly Kind[]

export function followDocuments(projectUuid: string): Follow<Answer> {
  return followRows<Answer>({
    entity: "document",
    rows: "documents",
    belongs: (row) => row.projectUuid === projectUuid,
  })
}

export function DocumentsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/documents" })
  const follow = useMemo(() => followDocuments(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_documents", { projectUuid, pageSize: 100 }, follow)
  const [kind, setKind] = useState<Kind | "">("")
  const [find, setFind] = useState("")
  const [adding, setAdding] = useState(false)
  const all = answer?.documents ?? []
  const shown = all.filter(
    (row) => (kind === "" || row.type === kind) && row.title.toLowerCase().includes(find.trim().toLowerCase()),
  )
  const add = mayChange(person) && (
    <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
      {text("documents.new")}
    </Button>
  )
  return (
    <Page
      title={text("nav.documents")}
      beside={all.length > 0 && <span className="text-sm text-faint tabular-nums">{all.length}</span>}
      actions={all.length > 0 && add}
      toolbar={
        all.length > 0 ? (
          <>
            <Input
              compact
              type="search"
              value={find}
              aria-label={text("documents.find")}
              placeholder={text("documents.find")}
              onChange={(event) => setFind(event.target.value)}
              className="w-auto max-w-56 min-w-32 flex-1"
            />
            <Select
              compact
              aria-label={text("tasks.kind")}
              className="w-44"
              value={kind}
              onChange={(event) => setKind(event.target.value as Kind | "")}
            >
              <option value="">{text("documents.all")}</option>
              {KINDS.map((each) => (
                <option key={each} value={each}>
                  {text(`documents.type.${each}`)}
                </option>
              ))}
            </Select>
          </>
        ) : undefined
      }
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && all.length === 0 && (
        <EmptyState icon={FileText} title={text("documents.empty")} action={add === false ? undefined : add}>
          {text("documents.emptyLead")}
        </EmptyState>
      )}
      {all.length > 0 && shown.length === 0 && <Nothing>{text("documents.noMatch")}</Nothing>}
      {shown.length > 0 && (
        <Rows label={text("nav.documents")}>
          {shown.map((row) => (
            <li key={row.uuid} className="@container transition-colors duration-100 hover:bg-hover">
              <Link
                to="/projects/$projectUuid/documents/$documentUuid"
                params={{ projectUuid, documentUuid: row.uuid }}
                className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
              >
                <FileText aria-hidden className="size-4 shrink-0 text-faint" />
                <span className="min-w-0 flex-1 basis-48 truncate font-medium">{row.title}</span>
                <RowFacts at={row.updatedAt} className="@max-2xl:pl-7">
                  <Badge>{text(`documents.type.${row.type}`)}</Badge>
                  <span className="text-xs whitespace-nowrap text-faint tabular-nums">
                    {text("documents.version", { number: row.version })}
                  </span>
                  <span className="text-sm text-muted">
                    <Who actor={row.createdBy} />
                  </span>
                </RowFacts>
              </Link>
            </li>
          ))}
        </Rows>
      )}
      {adding && <NewDocument projectUuid={projectUuid} onClose={() => setAdding(false)} />}
    </Page>
  )
}

function NewDocument({ projectUuid, onClose }: { readonly projectUuid: string; onClose(): void }) {
  const text = useText()
  const navigate = useNavigate()
  const create = useAction("chorus_pm_create_document")
  const [title, setTitle] = useState("")
  const [type, setType] = useState<Exclude<Kind, "report">>("guide")
  const save = async () => {
    if (title.trim() === "" || create.busy) return
    const made = await create.run({ projectUuid, type, title: title.trim() })
    if (made === undefined) return
    onClose()
    await navigate({
      to: "/projects/$projectUuid/documents/$documentUuid",
      params: { projectUuid, documentUuid: made.uuid },
      ignoreBlocker: true,
    })
  }
  return (
    <AskDialog
      open
      title={text("documents.new")}
      confirm={text("action.create")}
      disabled={title.trim() === "" || create.busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input
              {...ids}
              autoFocus
              maxLength={256}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
        <Field label={text("tasks.kind")}>
          {(ids) => (
            <Select {...ids} value={type} onChange={(event) => setType(event.target.value as typeof type)}>
              {KINDS.filter((each) => each !== "report").map((each) => (
                <option key={each} value={each}>
                  {text(`documents.type.${each}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </AskDialog>
  )
}
