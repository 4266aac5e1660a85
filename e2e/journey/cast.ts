import { drive, type ModelRequest, type ToolCall, type Turn } from "@chorus/testing"
import { type Builder, builtBy, PLAN, PROPOSAL, QUESTION } from "./plan.ts"

export type Member = Exclude<Builder, "sub-agent">

/** What the people and the machine of the journey know and the scripted model has to be told. */
export interface Script {
  projectUuid: string
  ideaUuid: string
  /** By the key of the plan. */
  readonly taskUuids: Map<string, string>
}

export const PROMPTS = {
  hello: "Say hello.",
  ask: "Take up the newest idea and ask what you need to know.",
  propose: "The answers are in. Propose a plan.",
  build: "Build what is ready, five at once.",
  last: "Both tasks you waited for are verified. Please do the last one.",
} as const

/** How each program calls a tool of the board, and of its team. */
const TOOLS: Record<
  Member,
  { board: (name: string) => Omit<ToolCall, "input">; team: (name: string) => Omit<ToolCall, "input"> }
> = {
  claude: {
    board: (name) => ({ name: `mcp__plugin_chorus_chorus__${name}` }),
    team: (name) => ({ name: `mcp__team__${name}` }),
  },
  codex: { board: (name) => ({ name, namespace: "mcp__chorus" }), team: (name) => ({ name, namespace: "mcp__team" }) },
  opencode: { board: (name) => ({ name: `chorus_${name}` }), team: (name) => ({ name: `team_${name}` }) },
}

/** What the agents' models do. Those who build wait at the gate, so that the page can be looked at while all are at work. */
export class Cast {
  readonly #script: Script
  #open = (): void => undefined
  readonly #gate: Promise<void>

  constructor(script: Script) {
    this.#script = script
    this.#gate = new Promise((open) => (this.#open = open))
  }

  /** Lets everybody who builds finish. */
  openGate(): void {
    this.#open()
  }

  readonly play = async (request: ModelRequest): Promise<Turn> => {
    const member = /<teammate-message|You are "(claude|codex|opencode)", a member/.test(request.all)
      ? memberOf(request)
      : undefined
    if (member !== undefined) return this.#member(member, request)
    const title = PLAN.find((task) => request.firstPrompt.startsWith(`Build "${task.title}".`))?.title
    if (title !== undefined) return this.#subagent(title, request)
    return this.#lead(request)
  }

  #lead({ prompt, sincePrompt, newest }: ModelRequest): Turn {
    const { ideaUuid, projectUuid } = this.#script
    const board = (name: string, input: object) => ({ ...TOOLS.claude.board(name), input: { ...input } })
    const spawn = (key: string, title: string) => ({
      name: "Agent",
      input: {
        description: title,
        prompt: `Build "${title}".\nchorus:task:${this.#taskUuid(key)}`,
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    })
    const turns: Record<string, () => Turn[]> = {
      [PROMPTS.ask]: () => [
        { tools: [board("chorus_claim_idea", { ideaUuid })] },
        { tools: [board("chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [QUESTION] })] },
        { text: "I have asked one question." },
      ],
      [PROMPTS.propose]: () => [
        { tools: [{ name: "Skill", input: { skill: "chorus:chorus" } }] },
        { tools: [{ name: "Read", input: { file_path: `${skillFolder(newest)}/references/pm.md` } }] },
        { tools: [board("chorus_inbox", {})] },
        { tools: [board("chorus_submit_plan", { projectUuid, ideaUuids: [ideaUuid], ...PROPOSAL })] },
        { text: "The plan waits for approval." },
      ],
      [PROMPTS.build]: () => [
        { tools: builtBy("sub-agent").map(({ key, title }) => spawn(key, title)) },
        { text: "All five are handed in." },
      ],
    }
    const asked = Object.keys(turns).find((words) => prompt.includes(words))
    return (asked === undefined ? undefined : turns[asked]?.()[sincePrompt]) ?? { text: "Hello." }
  }

  async #subagent(title: string, { turns }: ModelRequest): Promise<Turn> {
    if (turns === 0) {
      await this.#gate
      return { tools: [{ name: "Bash", input: { command: `echo built >> '${title}.txt'`, description: "build it" } }] }
    }
    return { text: `DONE: ${title}, and a test for it.\n[x] 1 tried it\n[x] 2 the test is green` }
  }

  /** Takes its task on the board and in the team, builds, hands in, and says so. */
  async #member(member: Member, request: ModelRequest): Promise<Turn> {
    const own = builtBy(member)
    const last = request.prompt.includes(PROMPTS.last)
    const at = last ? 1 : 0
    const task = own[at]
    if (task === undefined || /shutdown_request|Free to take now/.test(request.prompt)) return drive(request)
    const { board, team } = TOOLS[member]
    const taskUuid = this.#taskUuid(task.key)
    const taskId = String(builtBy("claude", "codex", "opencode").indexOf(task) + 1)
    const steps: (() => Turn | Promise<Turn>)[] = [
      () => ({
        tools: [
          { ...board("chorus_start_task"), input: { taskUuid, ...sessionOf(request) } },
          { ...team("TaskUpdate"), input: { taskId, status: "in_progress" } },
        ],
      }),
      async () => {
        await this.#gate
        return {
          tools: [
            {
              ...board("chorus_finish_task"),
              input: { taskUuid, report: `${task.title}: built, and the test is green.` },
            },
            { ...team("TaskUpdate"), input: { taskId, status: "completed" } },
          ],
        }
      },
      () => ({
        tools: [
          {
            ...team("SendMessage"),
            input: { to: "team-lead", message: `"${task.title}" is handed in.`, summary: "handed in" },
          },
        ],
      }),
    ]
    return (await steps[request.sincePrompt]?.()) ?? { text: "Done." }
  }

  #taskUuid(key: string): string {
    const uuid = this.#script.taskUuids.get(key)
    if (uuid === undefined) throw new Error(`${key} is not on the board yet`)
    return uuid
  }
}

/** Where the skill lies that has just been loaded, as its text begins. */
function skillFolder(newest: string): string | undefined {
  return /Base directory for this skill: (\S+)/.exec(newest)?.[1]
}

/** Where hooks opened a session, the introduction names it; its badge is then on the card. */
function sessionOf({ all }: ModelRequest): { sessionUuid?: string } {
  const sessionUuid = /Your session is ([0-9a-f-]{36})/.exec(all)?.[1]
  return sessionUuid === undefined ? {} : { sessionUuid }
}

function memberOf({ api }: ModelRequest): Member {
  return api === "responses" ? "codex" : api === "chat" ? "opencode" : "claude"
}
