import { Link } from "@tanstack/react-router"
import { Bot, Plus } from "lucide-react"
import { isOfTerminal, type Item, titleOf } from "../attention/decide.ts"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import {
  Avatar,
  Badge,
  Button,
  Dot,
  EmptyState,
  Nothing,
  Page,
  Problem,
  Section,
  SessionBadge,
  SkeletonRows,
  When,
} from "../design/index.ts"
import { type Translate, useFormat, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { PROGRAM_NAME } from "../runs/run.ts"
import { useUsage } from "../sections/Cost.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import {
  DOING_TONE,
  doingOf,
  isByKey,
  lastHeard,
  type PresentAgent,
  type PresentSession,
  sessionsInOrder,
  tasksInHand,
} from "./presence.ts"
import { Terminals } from "./Terminals.tsx"
import { useNow } from "./use-now.ts"
import { useDoingWords, usePeople } from "./use-people.ts"

/** Who is alive, on what, since when, with which last words and at what cost. */
export function AgentsPage() {
  const text = useText()
  const { agents, status, error, reload } = usePeople()
  const costs = new Map(useUsage({ by: "agent" }).answer?.rows.map((row) => [row.key, row]))
  const tasks = tasksInHand(agents)
  // What a terminal asks, its own session waits for and not the companion that tells of it.
  const waiting = Map.groupBy(
    useNeedsYou().items.filter((item) => !isOfTerminal(item)),
    ({ from }) => from?.uuid,
  )
  const alive = agents.reduce(
    (sum, { sessions }) => sum + sessions.filter(({ status: state }) => state === "active").length,
    0,
  )
  const sorted = agents.toSorted(
    (a, b) => Number(b.sessions.length > 0) - Number(a.sessions.length > 0) || a.name.localeCompare(b.name),
  )
  const connect = mayChange(useSignedIn().person) && (
    <Button asChild tone="primary">
      <Link to="/welcome">
        <Plus aria-hidden className="size-4" />
        {text("nav.welcome")}
      </Link>
    </Button>
  )
  return (
    <Page
      title={text("nav.agents")}
      beside={agents.length > 0 && <span className="text-sm text-faint">{text("agents.alive", { count: alive })}</span>}
      actions={agents.length > 0 && connect}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && agents.length === 0 && (
        <EmptyState icon={Bot} title={text("agents.empty")} action={connect || undefined}>
          <InlineCode text={text("agents.emptyLead")} />
        </EmptyState>
      )}
      <div className="grid grid-cols-1 gap-8">
        <Terminals />
        {agents.length > 0 && (
          <Section title={text("agents.sessions")}>
            <ul className="grid grid-cols-1 gap-3">
              {sorted.map((agent) => (
                <AgentCard
                  key={agent.uuid}
                  agent={agent}
                  tasks={tasks}
                  waiting={waiting.get(agent.uuid) ?? []}
                  cost={costs.get(agent.uuid)}
                />
              ))}
            </ul>
          </Section>
        )}
      </div>
    </Page>
  )
}

interface AgentCardProps {
  readonly agent: PresentAgent
  readonly tasks: ReadonlyMap<string, PresentAgent["inProgress"][number]>
  /** What of it waits for whoever looks. */
  readonly waiting: readonly Item[]
  readonly cost: { readonly totalTokens: number; readonly costUsd: number | null } | undefined
}

function AgentCard({ agent, tasks, waiting, cost }: AgentCardProps) {
  const text = useText()
  const format = useFormat()
  const covered = new Set(agent.sessions.flatMap(({ working }) => working.map(({ taskUuid }) => taskUuid)))
  const others = agent.inProgress.filter(({ uuid }) => !covered.has(uuid))
  const heard = lastHeard(agent)
  return (
    <li className="rounded-lg border border-line bg-surface shadow-(--shadow-card)">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
        <Avatar actor={{ type: "agent", uuid: agent.uuid, name: agent.name }} size="lg" />
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-medium">{agent.name}</h3>
          <p className="text-xs text-faint">
            {heard === undefined ? (
              text("agents.never")
            ) : (
              <>
                {text("agents.heard")} <When at={heard} />
              </>
            )}
          </p>
        </div>
        {cost !== undefined && cost.totalTokens > 0 && (
          <p className="text-right text-xs text-muted tabular-nums">
            {text("tasks.tokens", { count: format.number(cost.totalTokens) })}
            {cost.costUsd !== null && <span className="block">{format.money(cost.costUsd)}</span>}
          </p>
        )}
      </header>
      {agent.sessions.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {sessionsInOrder(agent.sessions).map((session) => (
            <SessionItem key={session.uuid} session={session} agent={agent} tasks={tasks} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <div className="border-t border-line px-4 py-2 text-sm">
          <p className="text-xs text-faint">{text("agents.heldWithoutSession")}</p>
          {others.map((task) => (
            <TaskLink key={task.uuid} task={task} />
          ))}
        </div>
      )}
      {waiting.length > 0 && (
        <div className="border-t border-line px-4 py-2 text-sm">
          <p className="text-xs text-waiting">{text("agents.waitsForYou")}</p>
          {waiting.map((item) => (
            <Link
              key={item.uuid}
              to="/"
              search={{ item: item.uuid }}
              className="block truncate leading-6 hover:underline"
            >
              {titleOf(text, item)}
            </Link>
          ))}
        </div>
      )}
      {heard !== undefined && agent.sessions.length + others.length + waiting.length === 0 && (
        <div className="border-t border-line px-4 py-2 text-sm">
          <Nothing>{text("agents.noSession")}</Nothing>
        </div>
      )}
    </li>
  )
}

/** What a session came by, as people call it. */
function sourceIn(text: Translate, source: string): string {
  if (source === "run") return text("agents.byChorus")
  const program = source === "claude-code" ? "claude" : source
  return Object.entries(PROGRAM_NAME).find(([name]) => name === program)?.[1] ?? source
}

interface SessionItemProps {
  readonly session: PresentSession
  readonly agent: { readonly uuid: string; readonly name: string }
  readonly tasks: AgentCardProps["tasks"]
}

function SessionItem({ session, agent, tasks }: SessionItemProps) {
  const text = useText()
  const format = useFormat()
  const { person } = useSignedIn()
  const now = useNow()
  const close = useAction("chorus_close_session")
  const words = useDoingWords()
  const doing = doingOf(session)
  const since = session.stateSince ?? session.working[0]?.checkinAt ?? session.lastActiveAt
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <SessionBadge session={session} agent={agent} live={doing === "working"} />
          {session.machine !== null && <span className="text-xs text-faint">{session.machine}</span>}
          {session.source !== null && <span className="text-xs text-faint">{sourceIn(text, session.source)}</span>}
        </p>
        <div className="mt-1">
          {session.working.map(({ uuid, taskUuid }) => {
            const task = tasks.get(taskUuid)
            return task === undefined ? null : <TaskLink key={uuid} task={task} />
          })}
        </div>
        {session.stateDetail !== null && (
          <p className="mt-0.5 truncate font-mono text-xs text-muted">{session.stateDetail}</p>
        )}
        {session.lastWords !== null && session.lastWords !== "" && (
          <p className="mt-1 line-clamp-2 border-l-2 border-line pl-2 text-xs text-muted">{session.lastWords}</p>
        )}
        {session.working.length === 0 && session.lastWords === null && session.stateDetail === null && (
          <Nothing>{text("agents.nothing")}</Nothing>
        )}
      </div>
      <span className="flex items-center gap-2 max-sm:w-full">
        <Badge tone={DOING_TONE[doing]}>
          <Dot tone={DOING_TONE[doing]} />
          {words(session)}
        </Badge>
        <span className="ml-auto w-16 text-right text-xs text-faint tabular-nums" title={format.dateTime(since)}>
          {format.duration(Math.max(0, now - Date.parse(since)))}
        </span>
        {doing === "silent" && !isByKey(session) && mayChange(person) && (
          <Button
            size="sm"
            tone="ghost"
            disabled={close.busy}
            onClick={() => void close.run({ sessionUuid: session.uuid })}
          >
            {text("action.close")}
          </Button>
        )}
      </span>
    </li>
  )
}

function TaskLink({ task }: { readonly task: PresentAgent["inProgress"][number] }) {
  return (
    <Link
      to="/projects/$projectUuid/tasks/$taskUuid"
      params={{ projectUuid: task.projectUuid, taskUuid: task.uuid }}
      className="block truncate leading-6 hover:underline"
    >
      {task.title}
    </Link>
  )
}
