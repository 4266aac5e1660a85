import { Link, useParams } from "@tanstack/react-router"
import { CircleAlert, CircleCheck, Clock, Power } from "lucide-react"
import { lazy, Suspense, useMemo, useState } from "react"
import { useDecisions } from "../attention/use-decisions.ts"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import { NoteDialog } from "../attention/NoteDialog.tsx"
import { choicesFor, type Item } from "../attention/decide.ts"
import { WaitingCard } from "../attention/WaitingCard.tsx"
import { Composer } from "../comments/Composer.tsx"
import { Badge, Dot, type Tone } from "../design/Badge.tsx"
import { IconButton } from "../design/Button.tsx"
import { classes } from "../design/classes.ts"
import { Select } from "../design/Field.tsx"
import { Page } from "../design/Page.tsx"
import { Problem } from "../design/Problem.tsx"
import { Skeleton, SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Nothing, Section } from "../sections/Section.tsx"
import { When } from "../sections/Who.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../shell/session-context.ts"
import { ReasonDialog } from "../tasks/ReasonDialog.tsx"
import { Conversation } from "./Conversation.tsx"
import { MemberName } from "./MemberName.tsx"
import { followTeam, type Member, MEMBER_LABEL, MEMBER_TONE, type Team, threadOf } from "./team.ts"

const GraphPreview = lazy(async () => ({ default: (await import("../graph-preview/GraphPreview.tsx")).GraphPreview }))

/** A team's room: who is in it, what they say to each other, what they work on; a person can join in. */
export function TeamPage() {
  const text = useText()
  const { teamUuid } = useParams({ from: "/teams/$teamUuid" })
  const follow = useMemo(() => followTeam(teamUuid), [teamUuid])
  const { answer: team, status, error, reload } = useOperation("chorus_get_team", { teamUuid, messages: 100 }, follow)
  return (
    <Page
      title={
        <>
          <Link to="/teams" className="font-normal text-muted hover:text-ink">
            {text("teams.title")}
          </Link>
          <span aria-hidden className="px-1.5 text-faint">
            /
          </span>
          {team?.name ?? text("app.loading")}
        </>
      }
      beside={team !== undefined && <span className="text-sm text-faint">{team.machine}</span>}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {team !== undefined && <Room team={team} />}
    </Page>
  )
}

function Room({ team }: { readonly team: Team }) {
  const text = useText()
  const { person } = useSignedIn()
  const [chosen, setChosen] = useState<string>()
  const may = mayChange(person) && team.goneAt === null
  return (
    <div className="grid grid-cols-1 gap-8">
      {team.goneAt !== null && <p className="rounded-lg bg-canvas px-4 py-2 text-sm text-muted">{text("teams.goneLead")}</p>}
      {team.description !== null && <p className="text-muted">{team.description}</p>}
      <Asked team={team} />
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[260px_minmax(0,1fr)]">
        <Section title={text("teams.members")} count={team.members.filter(({ leftAt }) => leftAt === null).length}>
          <Members team={team} chosen={chosen} may={may} onChoose={(name) => setChosen(name === chosen ? undefined : name)} />
        </Section>
        <Section title={chosen === undefined ? text("teams.messages") : text("teams.messagesWith", { name: chosen })}>
          <div className="grid grid-cols-1 gap-4">
            <Conversation messages={threadOf(team.messages, chosen)} members={team.members} />
            {may && <Write team={team} chosen={chosen} />}
            <Orders orders={team.orders} />
          </div>
        </Section>
      </div>
      <Section title={text("ideas.tasks")} count={team.tasks.length}>
        <TeamTasks team={team} />
      </Section>
    </div>
  )
}

/** Plans and permissions a member waits for; a person decides, here as in the queue. */
function Asked({ team }: { readonly team: Team }) {
  const text = useText()
  const { person } = useSignedIn()
  const { items } = useNeedsYou()
  const decisions = useDecisions()
  const [refusing, setRefusing] = useState<Item>()
  const mine = items.filter(({ attention }) => attention?.detail["team"] === team.name && attention.detail["machine"] === team.machine)
  if (mine.length === 0) return null
  return (
    <Section title={text("nav.needsYou")} count={mine.length}>
      <ul className="grid grid-cols-1 gap-2">
        {mine.map((item) => (
          <WaitingCard
            key={item.uuid}
            item={item}
            current={false}
            disabled={!mayChange(person)}
            onChoose={() => undefined}
            onOpen={() => undefined}
            onAccept={() => void decisions.accept(item)}
            onRefuse={() => (choicesFor(item).note ? setRefusing(item) : void decisions.refuse(item, ""))}
            onAnswer={(words) => void decisions.answer(item, words)}
          />
        ))}
      </ul>
      <NoteDialog
        item={refusing}
        onClose={() => setRefusing(undefined)}
        onSend={(item, note) => {
          setRefusing(undefined)
          void decisions.refuse(item, note)
        }}
      />
    </Section>
  )
}

interface MembersProps {
  readonly team: Team
  readonly chosen: string | undefined
  readonly may: boolean
  onChoose(name: string): void
}

function Members({ team, chosen, may, onChoose }: MembersProps) {
  const text = useText()
  const [leaving, setLeaving] = useState<Member>()
  const shutdown = useAction("chorus_ask_shutdown")
  return (
    <>
      <ul className="grid grid-cols-1 gap-1">
        {team.members.map((member) => (
          <li key={member.name} className={classes("flex items-center gap-1 rounded-md pr-1", member.name === chosen ? "bg-hover" : "hover:bg-hover")}>
            <button type="button" aria-pressed={member.name === chosen} onClick={() => onChoose(member.name)} className="grid min-w-0 flex-1 cursor-pointer gap-0.5 px-2 py-1.5 text-left">
              <span className="flex items-center gap-2">
                <MemberName member={member} />
                {member.leftAt === null && (
                  <span className="flex items-center gap-1 text-xs text-muted">
                    <Dot tone={MEMBER_TONE[member.state]} pulse={member.state === "working"} />
                    {text(MEMBER_LABEL[member.state])}
                  </span>
                )}
              </span>
              <span className="truncate text-xs text-faint">{member.leftAt === null ? [member.agentType, member.model].filter(Boolean).join(" · ") : text("teams.left")}</span>
            </button>
            {may && !member.lead && member.leftAt === null && <IconButton icon={Power} size="sm" label={text("teams.askShutdown", { name: member.name })} onClick={() => setLeaving(member)} />}
          </li>
        ))}
      </ul>
      <ReasonDialog
        open={leaving !== undefined}
        title={text("teams.shutdownTitle", { name: leaving?.name ?? "" })}
        lead={text("teams.shutdownLead")}
        confirm={text("teams.shutdown")}
        onClose={() => setLeaving(undefined)}
        onConfirm={(reason) => leaving !== undefined && void shutdown.run({ teamUuid: team.uuid, member: leaving.name, ...(reason === "" ? {} : { reason }) })}
      />
    </>
  )
}

function Write({ team, chosen }: { readonly team: Team; readonly chosen: string | undefined }) {
  const text = useText()
  const write = useAction("chorus_write_to_member")
  const present = team.members.filter(({ leftAt }) => leftAt === null)
  const [to, setTo] = useState<string>()
  const target = to ?? chosen ?? present.find(({ lead }) => lead)?.name ?? present[0]?.name
  if (target === undefined) return null
  return (
    <div className="grid grid-cols-1 gap-2">
      <label className="flex items-center gap-2 text-sm text-muted">
        {text("teams.writeTo")}
        <Select className="w-48" value={target} onChange={(event) => setTo(event.target.value)}>
          {present.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </label>
      <Composer mentions={false} placeholder={text("teams.writePlaceholder")} send={text("teams.send")} onSend={async (words) => (await write.run({ teamUuid: team.uuid, to: target, text: words })) !== undefined} />
    </div>
  )
}

/** What people asked of the team, and whether it has arrived. */
function Orders({ orders }: { readonly orders: Team["orders"] }) {
  const text = useText()
  if (orders.length === 0) return null
  return (
    <ul aria-label={text("teams.orders")} className="grid grid-cols-1 gap-1 text-xs text-muted">
      {orders.slice(0, 5).map((order) => (
        <li key={order.uuid} className="flex items-center gap-2">
          {order.error !== null ? <CircleAlert aria-hidden className="size-3.5 text-failed" /> : order.deliveredAt === null ? <Clock aria-hidden className="size-3.5 text-waiting" /> : <CircleCheck aria-hidden className="size-3.5 text-done" />}
          <span className="min-w-0 flex-1 truncate">{text(ORDER_KIND[order.what] ?? "teams.order.other", { name: order.to })}</span>
          <span>{order.error ?? text(order.deliveredAt === null ? "teams.undelivered" : "teams.delivered")}</span>
          <When at={order.createdAt} />
        </li>
      ))}
    </ul>
  )
}

const ORDER_KIND: Readonly<Record<string, "teams.order.message" | "teams.order.shutdown" | "teams.order.plan" | "teams.order.permission">> = {
  message: "teams.order.message",
  shutdown: "teams.order.shutdown",
  plan: "teams.order.plan",
  permission: "teams.order.permission",
}

const TASK_TONES: Readonly<Record<string, Tone>> = { pending: "todo", in_progress: "progress", completed: "done" }

function TeamTasks({ team }: { readonly team: Team }) {
  const text = useText()
  const known = new Set(team.tasks.map(({ task }) => task.id))
  const edges = team.tasks.flatMap(({ task }) => task.blockedBy.filter((id) => known.has(id)).map((dependsOnUuid) => ({ taskUuid: task.id, dependsOnUuid })))
  const linked = team.tasks.filter(({ taskUuids }) => taskUuids.length > 0).length
  return team.tasks.length === 0 ? (
    <Nothing>{text("teams.noTasks")}</Nothing>
  ) : (
    <>
      <Suspense fallback={<Skeleton className="h-48 w-full rounded-lg" />}>
        <GraphPreview label={text("ideas.tasks")} nodes={team.tasks.map(({ task }) => ({ uuid: task.id, title: task.subject, note: task.owner, tone: TASK_TONES[task.status] ?? "todo" }))} edges={edges} />
      </Suspense>
      {linked > 0 && (
        <p className="mt-2">
          <Badge>{text("teams.linked", { count: linked })}</Badge>
        </p>
      )}
    </>
  )
}
