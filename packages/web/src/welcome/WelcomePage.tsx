import type { agents } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { Check, Play } from "lucide-react"
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react"
import { Button, classes, Dot, Field, Input, Page, Segmented, toast, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { useEvents, useLive, useOperation } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { Secret } from "../settings/Secret.tsx"
import { useShell } from "../shell/shell-context.ts"
import { connectCommands, mcpAddress, type Program, PROGRAMS } from "./commands.ts"
import { type Connection, useAgentConnection } from "./use-connection.ts"

type Agent = Pick<agents.AgentRow, "uuid" | "name">

interface Made {
  readonly agent: Agent
  /** Only until the page is left: it is kept nowhere. */
  readonly key?: string | undefined
  /** By somebody's terminal, not here. */
  readonly elsewhere?: boolean
}

/** From an empty install to a connected agent. */
export function WelcomePage() {
  const text = useText()
  // Whoever reloads goes on with the agent they made, rather than leaving it behind and making another.
  const begun = useDraft<Agent | null>("welcome", null)
  const [made, setMade] = useState<Made | undefined>(begun.value === null ? undefined : { agent: begun.value })
  const connection = useAgentConnection(made?.agent.uuid)
  const connected = connection === "connected"
  const { drop } = begun
  const making = useRef(false)
  useEvents((event) => {
    if (event.kind !== "agent.created" || event.entityType !== "agent" || making.current || made !== undefined) return
    setMade({ agent: { uuid: event.entityUuid, name: event.patch.name ?? "" }, elsewhere: true })
  })
  useEffect(() => {
    if (connected) drop()
  }, [connected, drop])
  const onMade = (now: Made) => {
    begun.set({ uuid: now.agent.uuid, name: now.agent.name })
    setMade(now)
  }
  const startOver = () => {
    making.current = false
    drop()
    setMade(undefined)
  }
  const [first] = useOperation("chorus_list_agents", { pageSize: 1 }).answer?.agents ?? []
  const later = first !== undefined && first.uuid !== made?.agent.uuid
  return (
    <Page title={text("nav.welcome")}>
      <div className="mx-auto max-w-2xl py-4">
        <h2 className="text-2xl font-semibold">{text(later ? "welcome.again" : "welcome.title")}</h2>
        <p className="mt-1 text-lg text-muted">{text("welcome.lead")}</p>
        <ol className="mt-8 grid gap-6">
          <Step number={1} title={text("welcome.step1")} done={made !== undefined} active={made === undefined}>
            {made === undefined && <MakeAgent making={making} onMade={onMade} />}
          </Step>
          <Step number={2} title={text("welcome.step2")} done={connected} active={made !== undefined && !connected}>
            {made !== undefined &&
              !connected &&
              (made.elsewhere === true ? (
                <p className="mt-1 text-sm text-muted">{text("welcome.elsewhere", { name: made.agent.name })}</p>
              ) : made.key === undefined ? (
                <LostKey agent={made.agent} setUp={connection === "setUp"} onMade={onMade} onAgain={startOver} />
              ) : (
                <Connect keyText={made.key} setUp={connection === "setUp"} />
              ))}
          </Step>
          <Step number={3} title={text("welcome.step3")} done={connected} active={connected}>
            {made !== undefined && <Arrival name={made.agent.name} connection={connection} onAgain={startOver} />}
          </Step>
        </ol>
        <Runs />
        <Demo />
      </div>
    </Page>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly done: boolean
  readonly active: boolean
  readonly children: ReactNode
}

function Step({ number, title, done, active, children }: StepProps) {
  return (
    <li className="flex gap-4" aria-current={active ? "step" : undefined}>
      <span
        className={classes(
          "grid size-7 shrink-0 place-items-center rounded-full text-sm font-semibold transition-colors duration-200",
          done ? "bg-done-soft text-done" : active ? "bg-accent text-accent-ink" : "bg-sunken text-faint",
        )}
      >
        {done ? <Check aria-hidden className="size-4" /> : number}
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <h3 className={classes("font-semibold", !active && !done && "text-faint")}>{title}</h3>
        {children}
      </div>
    </li>
  )
}

interface MakeAgentProps {
  /** True from the press of the button on: what is then made is made here. */
  readonly making: RefObject<boolean>
  onMade(made: Made): void
}

function MakeAgent({ making, onMade }: MakeAgentProps) {
  const text = useText()
  const create = useAction("chorus_create_agent")
  const createKey = useAction("chorus_create_key")
  const [keyless, setKeyless] = useState<agents.AgentRow>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    making.current = true
    const name = String(new FormData(event.currentTarget).get("name")).trim()
    // An agent that was made while its key was not is not made a second time.
    const agent = keyless?.name === name ? keyless : await create.run({ name, presets: ["lead"] })
    if (agent === undefined) return
    setKeyless(agent)
    const key = await createKey.run({ agentUuid: agent.uuid })
    if (key !== undefined) onMade({ agent, key: key.key })
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-1 grid gap-4">
      <p className="text-sm text-muted">{text("welcome.step1Lead")}</p>
      <div className="max-w-xs">
        <Field label={text("welcome.agentName")}>
          {(ids) => <Input {...ids} name="name" required maxLength={80} defaultValue={text("welcome.agentDefault")} />}
        </Field>
      </div>
      <div>
        <Button tone="primary" size="lg" type="submit" disabled={create.busy || createKey.busy}>
          {text("welcome.create")}
        </Button>
      </div>
    </form>
  )
}

interface LostKeyProps {
  readonly agent: Agent
  /** Its key is in use somewhere, so it is left as it is. */
  readonly setUp: boolean
  onMade(made: Made): void
  onAgain(): void
}

/** After a reload: the agent is there, its key is not. A new one ends those that nobody has used. */
function LostKey({ agent, setUp, onMade, onAgain }: LostKeyProps) {
  const text = useText()
  const { client } = useLive()
  const createKey = useAction("chorus_create_key")
  const revoke = useAction("chorus_revoke_key")
  const archive = useAction("chorus_update_agent")
  const busy = createKey.busy || revoke.busy || archive.busy
  const makeKey = async () => {
    const { keys } = await client.call("chorus_list_keys", { agentUuid: agent.uuid })
    const made = await createKey.run({ agentUuid: agent.uuid })
    if (made === undefined) return
    for (const { uuid, lastUsedAt, revokedAt } of keys)
      if (lastUsedAt === null && revokedAt === null) await revoke.run({ keyUuid: uuid })
    onMade({ agent, key: made.key })
  }
  const discard = async () => {
    if ((await archive.run({ agentUuid: agent.uuid, archived: true })) !== undefined) onAgain()
  }
  return (
    <div className="mt-2 grid gap-3">
      <p className="text-sm text-muted">
        {text(setUp ? "welcome.setUpEarlier" : "welcome.keyGone", { name: agent.name })}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button tone={setUp ? "secondary" : "primary"} disabled={busy} onClick={() => void makeKey().catch(toastError)}>
          {text("welcome.newKey")}
        </Button>
        {setUp ? (
          <Button onClick={onAgain}>{text("welcome.again")}</Button>
        ) : (
          <Button disabled={busy} onClick={() => void discard()}>
            {text("welcome.discard", { name: agent.name })}
          </Button>
        )}
      </div>
    </div>
  )
}

interface ConnectProps {
  readonly keyText: string
  /** The first command has run. */
  readonly setUp: boolean
}

function Connect({ keyText, setUp }: ConnectProps) {
  const text = useText()
  const [program, setProgram] = useState<Program | "mcp">("claude")
  return (
    <div className="mt-2 grid grid-cols-1 gap-3">
      <div className="overflow-x-auto whitespace-nowrap">
        <Segmented
          label={text("welcome.program")}
          value={program}
          onChange={setProgram}
          options={[...PROGRAMS, "mcp" as const].map((value) => ({ value, label: text(`welcome.program.${value}`) }))}
        />
      </div>
      {program !== "mcp" ? (
        <Commands program={program} keyText={keyText} setUp={setUp} />
      ) : (
        <>
          <p className="text-sm text-muted">{text("welcome.mcpUrl")}</p>
          <Secret value={mcpAddress(location.origin)} label={text("welcome.mcpUrl")} />
          <p className="text-sm text-muted">{text("welcome.mcpHeader")}</p>
          <Secret value={`Authorization: Bearer ${keyText}`} label={text("welcome.mcpHeader")} />
          <p className="text-sm text-muted">{text("welcome.mcpFirst")}</p>
        </>
      )}
      <p className="text-xs text-waiting">{text("welcome.keyOnce")}</p>
    </div>
  )
}

function Commands({ program, keyText, setUp }: ConnectProps & { readonly program: Program }) {
  const text = useText()
  const name = text(`welcome.program.${program}`)
  const [connect, start] = connectCommands(program, location.origin, keyText)
  return (
    <>
      <p className="text-sm text-muted">{text("welcome.step2Lead")}</p>
      <Secret value={connect} label={text("welcome.command1", { program: name })} />
      {setUp && (
        <p role="status" className="flex items-center gap-2 text-sm text-done">
          <Check aria-hidden className="size-4" />
          {text("welcome.setUp", { program: name })}
        </p>
      )}
      <Secret value={start} label={text("welcome.command2", { program: name })} />
    </>
  )
}

interface ArrivalProps {
  readonly name: string
  readonly connection: Connection
  onAgain(): void
}

const ARRIVED = { none: "welcome.waiting", setUp: "welcome.waitingSession", connected: "welcome.connected" } as const

function Arrival({ name, connection, onAgain }: ArrivalProps) {
  const text = useText()
  const connected = connection === "connected"
  const navigate = useNavigate()
  const { openNewProject } = useShell()
  const project = useProjects().answer?.projects[0]
  const next = () => {
    if (project === undefined) openNewProject()
    else
      void navigate({
        to: "/projects/$projectUuid/ideas",
        params: { projectUuid: project.uuid },
        state: { newIdea: true },
      })
  }
  return (
    <div role="status" className="mt-1 grid gap-3">
      <p className={classes("flex items-center gap-2 text-sm", connected ? "font-medium text-done" : "text-muted")}>
        <Dot tone={connected ? "done" : "waiting"} pulse={!connected} />
        {text(ARRIVED[connection], { name })}
      </p>
      {connected && <p className="text-sm text-muted">{text("welcome.connectedLead")}</p>}
      {connection !== "none" && (
        <div className="flex flex-wrap gap-2">
          <Button tone={connected ? "primary" : "secondary"} onClick={next}>
            {text(project === undefined ? "welcome.nextProject" : "welcome.nextIdeas")}
          </Button>
          {connected && <Button onClick={onAgain}>{text("welcome.again")}</Button>}
        </div>
      )}
    </div>
  )
}

/** The other way to work: agents that Chorus starts by itself. */
function Runs() {
  const text = useText()
  const navigate = useNavigate()
  return (
    <Offer
      title={text("welcome.runsTitle")}
      lead={text("welcome.runsLead")}
      action={<Button onClick={() => void navigate({ to: "/runs" })}>{text("welcome.runs")}</Button>}
    />
  )
}

function Demo() {
  const text = useText()
  const { client } = useLive()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const { projectUuid } = await client.ask("POST /api/demo", {})
      toast(text("welcome.demoStarted"))
      await navigate({ to: "/projects/$projectUuid/board", params: { projectUuid }, ignoreBlocker: true })
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Offer
      title={text("welcome.demoTitle")}
      lead={text("welcome.demoLead")}
      action={
        <Button icon={Play} disabled={busy} onClick={() => void run()}>
          {text("welcome.demo")}
        </Button>
      }
    />
  )
}

interface OfferProps {
  readonly title: string
  readonly lead: string
  readonly action: ReactNode
}

function Offer({ title, lead, action }: OfferProps) {
  return (
    <section
      aria-label={title}
      className="mt-6 flex flex-wrap items-center gap-4 rounded-xl border border-line bg-canvas px-5 py-4"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="font-semibold">{title}</h3>
        <p className="text-sm text-muted">{lead}</p>
      </div>
      {action}
    </section>
  )
}
