import { setTimeout } from "node:timers/promises"
import type { agents, projects } from "@chorus/contracts"
import type { Logger } from "pino"
import type { Actor } from "../operation.ts"
import type { Registry } from "../registry.ts"
import { mcpCaller } from "./mcp-call.ts"
import { PROJECT } from "./story.ts"
import { play, type Player, type Team } from "./team.ts"

const ROLES = [
  { name: "Demo lead", presets: ["admin"] },
  { name: "Demo planner", presets: ["pm"] },
  { name: "Demo frontend", presets: ["developer"] },
  { name: "Demo backend", presets: ["developer"] },
  { name: "Demo tester", presets: ["developer"] },
] as const

interface Key {
  readonly uuid: string
  readonly player: Player
}

/** The pauses of the story; rejects when the signal is given. */
type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

const inRealTime: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal, ref: false })

/** Runs the scripted team. One demo at a time; a second wish to see it leads to the one that runs. */
export class Demo {
  readonly #registry: Registry
  readonly #log: Logger
  readonly #sleep: Sleep
  readonly #stop = new AbortController()
  #running: { readonly projectUuid: string; readonly done: Promise<void> } | undefined

  constructor(registry: Registry, log: Logger, sleep: Sleep = inRealTime) {
    this.#registry = registry
    this.#log = log
    this.#sleep = sleep
  }

  /** `url` is where the MCP door is; the agents come in there like any other. */
  async start(actor: Actor, url: string): Promise<{ readonly projectUuid: string }> {
    if (this.#running !== undefined) return { projectUuid: this.#running.projectUuid }
    const execute = <Answer>(name: string, input: unknown) =>
      this.#registry.execute(name, input, { actor, requestId: "demo" }) as Promise<Answer>
    const project = await execute<projects.ProjectRow>("chorus_admin_create_project", PROJECT)
    const keys: Key[] = []
    for (const role of ROLES) keys.push(await this.#hire(execute, role, url))
    const done = this.#play(teamOf(keys), project.uuid)
      .catch((error: unknown) => this.#stop.signal.aborted || this.#log.warn({ err: error }, "the demo stopped early"))
      .then(async () => {
        this.#running = undefined
        if (this.#stop.signal.aborted) return
        for (const { uuid } of keys) await execute("chorus_revoke_key", { keyUuid: uuid })
      })
      .catch(() => undefined)
    this.#running = { projectUuid: project.uuid, done }
    return { projectUuid: project.uuid }
  }

  /** Resolves when the story has been told to its end. */
  async finished(): Promise<void> {
    await this.#running?.done
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.finished()
  }

  /** Finds the agent of an earlier demo again, so that there are not more of them each time. */
  async #hire(
    execute: <Answer>(name: string, input: unknown) => Promise<Answer>,
    role: (typeof ROLES)[number],
    url: string,
  ): Promise<Key> {
    const known = await execute<{ agents: agents.AgentRow[] }>("chorus_list_agents", { pageSize: 100 })
    const agent =
      known.agents.find(({ name }) => name === role.name) ??
      (await execute<agents.AgentRow>("chorus_create_agent", { name: role.name, presets: role.presets }))
    const { uuid, key } = await execute<{ uuid: string; key: string }>("chorus_create_key", {
      agentUuid: agent.uuid,
      name: "demo",
      expiresInDays: 1,
    })
    return { uuid, player: { name: role.name.replace("Demo ", ""), call: mcpCaller(url, key, this.#stop.signal) } }
  }

  #play(team: Team, projectUuid: string): Promise<void> {
    return play(team, projectUuid, (milliseconds) => this.#sleep(milliseconds, this.#stop.signal))
  }
}

function teamOf(keys: readonly Key[]): Team {
  const [lead, planner, ...workers] = keys.map(({ player }) => player)
  if (lead === undefined || planner === undefined) throw new Error("the demo needs a lead and a planner")
  return { lead, planner, workers }
}
