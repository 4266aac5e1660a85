import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { Comments } from "../comments/Comments.tsx"
import { Page, Problem, SkeletonRows, Tabs } from "../design/index.ts"
import { TextHistory } from "../documents/Versions.tsx"
import { useText } from "../i18n/language.ts"
import { ShortId } from "../projects/ShortId.tsx"
import { useOperation } from "../live/use-operation.ts"
import { WorkRuns } from "../runs/WorkRuns.tsx"
import { Attachments } from "../sections/Attachments.tsx"
import { isGone } from "../sections/gone.ts"
import { History } from "../sections/History.tsx"
import { References } from "../sections/References.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Closing } from "./Closing.tsx"
import { Decisions } from "./Decisions.tsx"
import { Elaboration } from "./Elaboration.tsx"
import { followIdea } from "./follow-idea.ts"
import { IdeaActions } from "./IdeaActions.tsx"
import { IdeaContent } from "./IdeaContent.tsx"
import { IdeaFacts } from "./IdeaFacts.tsx"
import { IdeaWork } from "./IdeaWork.tsx"

type Part = "comments" | "decisions" | "versions" | "activity"

/** One idea from the first words to what was built. */
export function IdeaPage() {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const { projectUuid, ideaUuid } = useParams({ from: "/projects/$projectUuid/ideas/$ideaUuid" })
  const follow = useMemo(() => followIdea(ideaUuid), [ideaUuid])
  const { answer: idea, status, error, reload } = useOperation("chorus_get_idea", { ideaUuid }, follow)
  const [editing, setEditing] = useState(false)
  const [part, setPart] = useState<Part>("comments")
  // What is being typed is not taken away, even where it can no longer be kept.
  const lost = status === "failed" || (isGone(error) && !editing)
  return (
    <Page
      from={
        <Link to="/projects/$projectUuid/ideas" params={{ projectUuid }}>
          {text("nav.ideas")}
        </Link>
      }
      title={
        <>
          {idea !== undefined && <ShortId shortId={idea.shortId} />}
          {idea?.title ?? text("app.loading")}
        </>
      }
      actions={
        idea !== undefined &&
        !lost &&
        mayChange(person) && (
          <IdeaActions
            idea={idea}
            onEdit={() => setEditing(true)}
            onMoved={(target) =>
              void navigate({
                to: "/projects/$projectUuid/ideas/$ideaUuid",
                params: { projectUuid: target, ideaUuid },
                ignoreBlocker: true,
              })
            }
            onDeleted={() =>
              void navigate({ to: "/projects/$projectUuid/ideas", params: { projectUuid }, ignoreBlocker: true })
            }
          />
        )
      }
    >
      {status === "loading" && <SkeletonRows />}
      {lost && <Problem error={error} onRetry={reload} />}
      {idea !== undefined && !lost && (
        <div className="grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_280px]">
          <aside className="lg:order-2">
            <IdeaFacts idea={idea} />
          </aside>
          <div className="grid min-w-0 grid-cols-1 content-start gap-8">
            <IdeaContent idea={idea} editing={editing} onDone={() => setEditing(false)} />
            {!idea.isContainer && idea.derivedStatus === "done" && <Closing idea={idea} />}
            {!idea.isContainer && <Elaboration idea={idea} />}
            {!idea.isContainer && <IdeaWork idea={idea} />}
            <WorkRuns ideaUuid={ideaUuid} />
            <div
              className={
                idea.attachments.length + idea.references.length === 0
                  ? "flex flex-wrap gap-1"
                  : "grid grid-cols-1 gap-6"
              }
            >
              <Attachments targetType="idea" targetUuid={ideaUuid} attachments={idea.attachments} />
              <References targetType="idea" targetUuid={ideaUuid} references={idea.references} />
            </div>
            <Tabs<Part>
              label={text("ideas.parts")}
              value={part}
              onChange={setPart}
              tabs={[
                {
                  value: "comments",
                  label: text("comments.title"),
                  content: <Comments targetType="idea" targetUuid={ideaUuid} />,
                },
                {
                  value: "decisions",
                  label: text("ideas.decisions"),
                  content: <Decisions entityType="idea" entityUuid={ideaUuid} />,
                },
                {
                  value: "versions",
                  label: text("documents.versions"),
                  count: idea.version,
                  content: <TextHistory of={{ targetType: "idea", targetUuid: ideaUuid }} version={idea.version} />,
                },
                {
                  value: "activity",
                  label: text("nav.activity"),
                  content: <History projectUuid={projectUuid} entityUuid={ideaUuid} />,
                },
              ]}
            />
          </div>
        </div>
      )}
    </Page>
  )
}
