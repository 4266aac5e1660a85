import type { drafts, proposals } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { ChevronRight, Pencil, Terminal } from "lucide-react"
import { useState } from "react"
import { PriorityIcon } from "../board/PriorityIcon.tsx"
import { Badge, Button, classes, Nothing, Section, Tabs, usePrinting } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Markdown } from "../markdown/Markdown.tsx"

interface DraftsProps {
  readonly proposal: proposals.ProposalDetail
  /** Undefined where nothing may be changed. */
  readonly onEdit: ((draftUuid: string) => void) | undefined
}

/** The documents of a plan, one tab each; on paper one after the other. */
export function DocumentDrafts({ proposal, onEdit }: DraftsProps) {
  const text = useText()
  const all = proposal.documentDrafts ?? []
  const [chosen, setChosen] = useState<string>()
  const made = new Map(proposal.materializedDocuments?.map(({ draftUuid, documentUuid }) => [draftUuid, documentUuid]))
  const printing = usePrinting()
  const value = all.some(({ uuid }) => uuid === chosen) ? (chosen ?? "") : (all[0]?.uuid ?? "")
  const shown = (draft: drafts.DocumentDraft) => (
    <DocumentDraft
      draft={draft}
      projectUuid={proposal.projectUuid}
      documentUuid={made.get(draft.uuid)}
      onEdit={onEdit && (() => onEdit(draft.uuid))}
    />
  )
  return (
    <Section title={text("nav.documents")} count={all.length}>
      {all.length === 0 ? (
        <Nothing>{text("proposals.noDocuments")}</Nothing>
      ) : printing ? (
        all.map((draft) => (
          <section key={draft.uuid} aria-label={draft.title} className="mb-8">
            <h3 className="mb-2 text-lg font-semibold">{draft.title}</h3>
            {shown(draft)}
          </section>
        ))
      ) : (
        <Tabs
          label={text("nav.documents")}
          value={value}
          onChange={setChosen}
          tabs={all.map((draft) => ({ value: draft.uuid, label: draft.title, content: shown(draft) }))}
        />
      )}
    </Section>
  )
}

interface DocumentDraftProps {
  readonly draft: drafts.DocumentDraft
  readonly projectUuid: string
  readonly documentUuid: string | undefined
  readonly onEdit: (() => void) | undefined
}

function DocumentDraft({ draft, projectUuid, documentUuid, onEdit }: DocumentDraftProps) {
  const text = useText()
  return (
    <article>
      <p className="mb-3 flex items-center gap-2 text-xs text-faint">
        <Badge>{text(`documents.type.${draft.type}`)}</Badge>
        {text("documents.version", { number: draft.version })}
        {documentUuid !== undefined && (
          <Link
            to="/projects/$projectUuid/documents/$documentUuid"
            params={{ projectUuid, documentUuid }}
            className="ml-auto text-accent hover:underline print:hidden"
          >
            {text("proposals.openDocument")}
          </Link>
        )}
        {onEdit !== undefined && (
          <Button size="sm" icon={Pencil} className="ml-auto" onClick={onEdit}>
            {text("action.edit")}
          </Button>
        )}
      </p>
      <Markdown source={draft.content} />
    </article>
  )
}

interface TaskDraftsProps extends DraftsProps {
  readonly open: ReadonlySet<string>
  onToggle(draftUuid: string): void
}

/** The tasks of a plan, each with what must be true at its end; on paper none is folded. */
export function TaskDrafts({ proposal, onEdit, open, onToggle }: TaskDraftsProps) {
  const text = useText()
  const all = proposal.taskDrafts ?? []
  const made = new Map(proposal.materializedTasks?.map(({ draftUuid, taskUuid }) => [draftUuid, taskUuid]))
  const printing = usePrinting()
  const titles = new Map(all.map(({ uuid, title }) => [uuid, title]))
  const hours = all.reduce((sum, { storyPoints }) => sum + (storyPoints ?? 0), 0)
  return (
    <Section
      title={text("ideas.tasks")}
      count={all.length}
      actions={
        hours > 0 && (
          <span className="text-xs text-faint tabular-nums">{text("board.pointsLong", { count: hours })}</span>
        )
      }
    >
      {all.length === 0 && <Nothing>{text("proposals.noTasks")}</Nothing>}
      <ul className="grid gap-2">
        {all.map((draft) => (
          <TaskDraft
            key={draft.uuid}
            draft={draft}
            open={printing || open.has(draft.uuid)}
            titles={titles}
            projectUuid={proposal.projectUuid}
            taskUuid={made.get(draft.uuid)}
            onToggle={() => onToggle(draft.uuid)}
            onEdit={onEdit && (() => onEdit(draft.uuid))}
          />
        ))}
      </ul>
    </Section>
  )
}

interface TaskDraftProps {
  readonly draft: drafts.TaskDraft
  readonly open: boolean
  readonly titles: ReadonlyMap<string, string>
  readonly projectUuid: string
  readonly taskUuid: string | undefined
  readonly onEdit: (() => void) | undefined
  onToggle(): void
}

function TaskDraft({ draft, open, titles, projectUuid, taskUuid, onEdit, onToggle }: TaskDraftProps) {
  const text = useText()
  const after = draft.dependsOnDraftUuids.map((uuid) => titles.get(uuid) ?? uuid.slice(0, 8))
  return (
    <li id={`draft-${draft.uuid}`} className="rounded-lg border border-line bg-surface">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="flex w-full cursor-pointer items-start gap-2 px-3 py-2.5 text-left"
      >
        <ChevronRight
          aria-hidden
          className={classes(
            "mt-0.5 size-4 shrink-0 text-faint transition-transform duration-100",
            open && "rotate-90",
          )}
        />
        <span className="min-w-0 flex-1">
          <span className="block font-medium break-words">{draft.title}</span>
          <span className="mt-0.5 flex flex-wrap items-center gap-x-3 text-xs text-faint">
            {text("proposals.criteriaCount", { count: draft.acceptanceCriteriaItems.length })}
            {draft.storyPoints !== null && <span>{text("board.pointsLong", { count: draft.storyPoints })}</span>}
            {after.length > 0 && (
              <span className="truncate">{text("proposals.after", { names: after.join(", ") })}</span>
            )}
          </span>
        </span>
        {draft.priority !== null && <PriorityIcon priority={draft.priority} />}
      </button>
      {open && (
        <div className="grid grid-cols-1 gap-3 border-t border-line px-4 py-3">
          {draft.description !== null && draft.description !== "" && (
            <Markdown source={draft.description} className="text-sm" />
          )}
          <ul className="grid grid-cols-1 gap-1.5 text-sm">
            {draft.acceptanceCriteriaItems.map((criterion) => (
              <li key={criterion.description} className="flex items-start gap-2">
                <span aria-hidden className="mt-1.5 size-1.5 shrink-0 rounded-full bg-line-strong" />
                <span className="min-w-0 break-words">
                  <InlineCode text={criterion.description} />
                  {criterion.required === false && (
                    <span className="ml-2 text-xs text-faint">{text("tasks.optional")}</span>
                  )}
                  {criterion.command !== undefined && (
                    <code className="mt-0.5 flex items-center gap-1 font-mono text-xs wrap-anywhere text-muted">
                      <Terminal aria-hidden className="size-3 shrink-0" />
                      {criterion.command}
                    </code>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {onEdit !== undefined && (
            <span>
              <Button size="sm" icon={Pencil} onClick={onEdit}>
                {text("action.edit")}
              </Button>
            </span>
          )}
          {taskUuid !== undefined && (
            <Link
              to="/projects/$projectUuid/tasks/$taskUuid"
              params={{ projectUuid, taskUuid }}
              className="text-sm text-accent hover:underline print:hidden"
            >
              {text("proposals.openTask")}
            </Link>
          )}
        </div>
      )}
    </li>
  )
}
