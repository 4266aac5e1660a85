import { Link } from "@tanstack/react-router"
import { Armchair } from "lucide-react"
import { useMemo, useState, useSyncExternalStore } from "react"
import { DOING_LABEL, DOING_TONE, doingOf, sessionsInOrder, tasksInHand } from "../agents/presence.ts"
import { useDoingWords, usePeople } from "../agents/use-people.ts"
import { Badge, Button, Dot, EmptyState, Page, Problem, Rows, SessionBadge, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Floor } from "./Floor.tsx"
import type { Occupant } from "./SeatLabel.tsx"
import { useCelebrants } from "./use-celebrants.ts"
import { Wall } from "./Wall.tsx"

/** Every session at its desk, doing what it really does. */
export function OfficePage() {
  const text = useText()
  const may = mayChange(useSignedIn().person)
  const still = useReducedMotion()
  const { agents, status, error, reload } = usePeople()
  const joyful = useCelebrants()
  const people = useMemo((): readonly Occupant[] => {
    const tasks = tasksInHand(agents)
    const agentOf = new Map(agents.flatMap((agent) => agent.sessions.map(({ uuid }) => [uuid, agent] as const)))
    const all = sessionsInOrder(agents.flatMap(({ sessions }) => sessions))
    return all.flatMap((session) => {
      const agent = agentOf.get(session.uuid)
      return agent === undefined ? [] : [{ session, agent, task: tasks.get(session.working[0]?.taskUuid ?? "") }]
    })
  }, [agents])
  const [machine, setMachine] = useState<string>()
  const here = people.filter(({ session }) => machine === undefined || session.machine === machine)
  const counts = Map.groupBy(here, ({ session }) => doingOf(session))
  return (
    <Page
      width="full"
      title={text("nav.office")}
      beside={[...counts].map(([doing, members]) => (
        <Badge key={doing} tone={DOING_TONE[doing]}>
          <Dot tone={DOING_TONE[doing]} />
          {text(DOING_LABEL[doing])} {members.length}
        </Badge>
      ))}
    >
      <div className="min-h-0 flex-1 overflow-y-auto bg-canvas p-4 md:p-6">
        {status === "loading" && <SkeletonRows />}
        {status === "failed" && <Problem error={error} onRetry={reload} />}
        {status === "ready" && people.length === 0 && (
          <EmptyState
            icon={Armchair}
            title={text("office.empty")}
            action={
              may ? (
                <Button asChild tone="primary">
                  <Link to="/welcome">{text("nav.welcome")}</Link>
                </Button>
              ) : undefined
            }
          >
            {text("office.emptyLead")}
          </EmptyState>
        )}
        {people.length > 0 && <Wall people={people} machine={machine} onMachine={setMachine} />}
        {people.length > 0 &&
          (still ? <StillOffice people={here} joyful={joyful} /> : <Floor people={here} joyful={joyful} />)}
      </div>
    </Page>
  )
}

/** The same without any motion. */
function StillOffice({
  people,
  joyful,
}: {
  readonly people: readonly Occupant[]
  readonly joyful: ReadonlySet<string>
}) {
  const text = useText()
  const words = useDoingWords()
  return (
    <div className="max-w-3xl">
      <Rows label={text("office.people")}>
        {people.map(({ session, agent, task }) => (
          <li key={session.uuid} className="flex flex-wrap items-center gap-3 px-4 py-2.5 text-sm">
            <SessionBadge session={session} agent={agent} live={false} />
            {task === undefined ? (
              <span className="min-w-40 flex-1 truncate text-muted">
                {session.name === agent.name ? text("agents.nothing") : agent.name}
              </span>
            ) : (
              <Link
                to="/projects/$projectUuid/tasks/$taskUuid"
                params={{ projectUuid: task.projectUuid, taskUuid: task.uuid }}
                preload={false}
                className="min-w-40 flex-1 truncate text-muted hover:underline"
              >
                {task.title}
              </Link>
            )}
            <Badge tone={joyful.has(session.uuid) ? "done" : DOING_TONE[doingOf(session)]}>
              {joyful.has(session.uuid) ? text("office.celebrates") : words(session)}
            </Badge>
          </li>
        ))}
      </Rows>
    </div>
  )
}

function useReducedMotion(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia("(prefers-reduced-motion: reduce)")
      query.addEventListener("change", listener)
      return () => query.removeEventListener("change", listener)
    },
    () => matchMedia("(prefers-reduced-motion: reduce)").matches,
  )
}
