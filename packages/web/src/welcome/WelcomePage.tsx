import type { agents } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { Check, Play } from "lucide-react"
import { type FormEvent, type ReactNode, useState } from "react"
import { Button, classes, Dot, Field, Input, Page, Segmented, toast, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLive, useOperation } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { Secret } from "../settings/Secret.tsx"
import { useShell } from "../shell/shell-context.ts"
import { connectCommands, mcpAddress, type Program, PROGRAMS } from "./commands.ts"
import { useAgentConnection } from "./use-connection.ts"

interface Made {
  readonly agent: agents.AgentRow
  readonly key: string
}

/** From an empty install to a connected agent. */
export function WelcomePage() {
  const text = useText()
  const [made, setMade] = useState<Made>()
  const connected = useAgentConnection(made?.agent.uuid)
  const [first] = useOperation("chorus_list_agents", { pageSize: 1 }).answer?.agents ?? []
  const later = first !== undefined && first.uuid !== made?.agent.uuid
  return (
    <Page title={text("nav.welcome")}>
      <div className="mx-auto max-w-2xl py-4">
        <h2 className="text-2xl font-semibold">{text(later ? "welcome.again" : "welcome.title")}</h2>
        <p className="mt-1 text-lg text-muted">{text("welcome.lead")}</p>
        <ol className="mt-8 grid gap-6">
          <Step number={1} title={text("welcome.step1")} done={made !== undefined} active={made === undefined}>
            {made === undefined && <MakeAgent onMade={setMade} />}
          </Step>
          <Step number={2} title={text("welcome.step2")} done={connected} active={made !== undefined && !connected}>
            {made !== undefined && !connected && <Connect keyText={made.key} />}
          </Step>
          <Step number={3} title={text("welcome.step3")} done={connected} active={connected}>
            {made !== undefined && (
              <Arrival name={made.agent.name} connected={connected} onAgain={() => setMade(undefined)} />
            )}
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

function MakeAgent({ onMade }: { onMade(made: Made): void }) {
  const text = useText()
  const create = useAction("chorus_create_agent")
  const createKey = useAction("chorus_create_key")
  const [keyless, setKeyless] = useState<agents.AgentRow>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
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

function Connect({ keyText }: { readonly keyText: string }) {
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
        <Commands program={program} keyText={keyText} />
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

function Commands({ program, keyText }: { readonly program: Program; readonly keyText: string }) {
  const text = useText()
  const name = text(`welcome.program.${program}`)
  const [connect, start] = connectCommands(program, location.origin, keyText)
  return (
    <>
      <p className="text-sm text-muted">{text("welcome.step2Lead")}</p>
      <Secret value={connect} label={text("welcome.command1", { program: name })} />
      <Secret value={start} label={text("welcome.command2", { program: name })} />
    </>
  )
}

interface ArrivalProps {
  readonly name: string
  readonly connected: boolean
  onAgain(): void
}

function Arrival({ name, connected, onAgain }: ArrivalProps) {
  const text = useText()
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
        {text(connected ? "welcome.connected" : "welcome.waiting", { name })}
      </p>
      {connected && (
        <>
          <p className="text-sm text-muted">{text("welcome.connectedLead")}</p>
          <div className="flex flex-wrap gap-2">
            <Button tone="primary" onClick={next}>
              {text(project === undefined ? "welcome.nextProject" : "welcome.nextIdeas")}
            </Button>
            <Button onClick={onAgain}>{text("welcome.again")}</Button>
          </div>
        </>
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
      await navigate({ to: "/projects/$projectUuid/board", params: { projectUuid } })
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
