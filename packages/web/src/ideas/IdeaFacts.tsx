import type { ideas } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { CornerDownRight, FileText, FolderTree } from "lucide-react"
import { Badge, Fact, Facts, Section, StatusIcon, Who } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { IdeaLabels } from "../items/ItemFacts.tsx"
import { WorkCost } from "../runs/WorkCost.tsx"
import { BADGE_LABEL, STANDING_TONE } from "./standing.ts"

/** Where an idea stands, whose it is, what it costs, and its place among the others. */
export function IdeaFacts({ idea }: { readonly idea: ideas.IdeaDetail }) {
  const text = useText()
  const format = useFormat()
  return (
    <div className="grid grid-cols-1 gap-6">
      <Facts>
        <Fact name={text("tasks.statusName")}>
          <Badge tone={STANDING_TONE[idea.derivedStatus]}>
            {text(idea.isContainer ? "ideas.theme" : BADGE_LABEL[idea.badgeHint])}
          </Badge>
        </Fact>
        <Fact name={text("board.assignee")}>
          <Who actor={idea.assignee} />
        </Fact>
        <IdeaLabels idea={idea} />
        <Fact name={text("ideas.writtenBy")}>
          <Who actor={idea.createdBy} />
        </Fact>
        <Fact name={text("tasks.created")}>
          <span title={format.dateTime(idea.createdAt)}>{format.date(idea.createdAt)}</span>
        </Fact>
        <Fact name={text("tasks.cost")}>
          <WorkCost of={{ ideaUuid: idea.uuid }} />
        </Fact>
      </Facts>
      {(idea.parent !== null || idea.children.length > 0) && (
        <Section title={text("ideas.lineage")}>
          <ul className="grid grid-cols-1 gap-1 text-sm">
            {idea.parent !== null && <Relative idea={idea.parent} projectUuid={idea.projectUuid} parent />}
            <li className="flex items-center gap-2 pl-4 font-medium">
              <StatusIcon tone={STANDING_TONE[idea.derivedStatus]} />
              <span className="truncate">{idea.title}</span>
            </li>
            {idea.children.map((child) => (
              <Relative key={child.uuid} idea={child} projectUuid={idea.projectUuid} />
            ))}
          </ul>
        </Section>
      )}
      {idea.reports.length > 0 && (
        <Section title={text("tasks.reports")} count={idea.reports.length}>
          <ul className="grid grid-cols-1 gap-1 text-sm">
            {idea.reports.map(({ uuid, title }) => (
              <li key={uuid}>
                <Link
                  to="/projects/$projectUuid/documents/$documentUuid"
                  params={{ projectUuid: idea.projectUuid, documentUuid: uuid }}
                  className="flex items-center gap-2 text-accent hover:underline"
                >
                  <FileText aria-hidden className="size-4 shrink-0" />
                  <span className="truncate">{title}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}

interface RelativeProps {
  readonly idea: ideas.IdeaDetail["children"][number]
  readonly projectUuid: string
  readonly parent?: boolean
}

function Relative({ idea, projectUuid, parent = false }: RelativeProps) {
  return (
    <li className={parent ? "" : "pl-8"}>
      <Link
        to="/projects/$projectUuid/ideas/$ideaUuid"
        params={{ projectUuid, ideaUuid: idea.uuid }}
        className="flex items-center gap-2 text-muted hover:text-ink"
      >
        {parent ? (
          <FolderTree aria-hidden className="size-3.5 shrink-0" />
        ) : (
          <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-faint" />
        )}
        <span className="truncate">{idea.title}</span>
      </Link>
    </li>
  )
}
