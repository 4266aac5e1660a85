import { TEAM_LEAD, TeamPermissionMode, TeamTaskStatus } from "@chorus/contracts"
import { McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import { kindOf } from "../protocol/body.ts"
import { submitPlan } from "../protocol/plan.ts"
import { assignTask, requestPermission } from "../protocol/send.ts"
import { awaitPermission } from "../runtime/member-host.ts"
import { noteOwnSign } from "../runtime/own-reader.ts"
import { createTeam, openTeam, type Team } from "../team.ts"
import { answering } from "./answer.ts"
import { LOOKING } from "../agents/agent-type.ts"
import { PLAN_TOOL } from "../agents/team-tools.ts"
import { SendMessageInput, sendTool } from "./send-tool.ts"
import manifest from "../../package.json" with { type: "json" }

const SpawnedProgram = z.enum(["claude", "codex", "opencode"])

export interface SpawnRequest {
  readonly name: string
  readonly prompt: string
  readonly program?: z.infer<typeof SpawnedProgram> | undefined
  readonly agentType?: string | undefined
  readonly model?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  readonly cwd?: string | undefined
}

export interface TeamToolsOptions {
  readonly root: string
  readonly team: string
  /** Whose tools these are. Every message and claim goes out under this name; the agent cannot choose another. */
  readonly name: string
  /** Its mode is `plan`: it is started anew, and its tools with it, once it may act. */
  readonly planning?: boolean | undefined
  /** It has no tool of its own to hand in a plan with. */
  readonly plans?: boolean | undefined
  /** Starts a member; left out, there is no Spawn tool. */
  readonly spawn?: ((team: Team, request: SpawnRequest) => Promise<unknown>) | undefined
}

const PLAN_MODE: ReadonlySet<string> = new Set(["EnterPlanMode", "ExitPlanMode"])
const WAITS =
  "Your plan waits for a decision, which will reach you as a message. End your turn now; you are still in plan mode."

const TaskUpdateInput = z.object({
  taskId: z.string(),
  subject: z.string().optional(),
  description: z.string().optional(),
  activeForm: z.string().optional(),
  status: TeamTaskStatus.optional().describe("in_progress takes the task for you"),
  owner: z.string().optional(),
  addBlocks: z.array(z.string()).optional(),
  addBlockedBy: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})

/** The team's tools for agents that do not have them. */
export function teamToolServer(options: TeamToolsOptions): McpServer {
  const server = new McpServer({ name: "chorus-team", version: manifest.version })
  const team = () => openTeam(options.team, { root: options.root })
  messageTools(server, options, team)
  taskTools(server, options, team)
  if (options.name === TEAM_LEAD) leadTools(server, options, team)
  return server
}

function messageTools(server: McpServer, { name, planning, plans }: TeamToolsOptions, team: () => Promise<Team>): void {
  server.registerTool(
    "SendMessage",
    {
      description:
        "Send a message to a member of your team, or answer a request. What you write elsewhere nobody sees.",
      inputSchema: SendMessageInput,
    },
    (input) =>
      answering(async () => {
        const opened = await team()
        const answer = await sendTool(opened, name, input)
        // These tools live as long as whoever uses them.
        await noteOwnSign(opened, name, { pid: process.pid })
        return answer
      }),
  )
  server.registerTool(
    "ReadInbox",
    {
      description: "Take the messages that wait for you. Needed only where they are not delivered to you.",
      inputSchema: z.object({}),
    },
    () =>
      answering(async () => {
        const opened = await team()
        await opened.assertReader(name)
        const taken = await opened.take(name)
        await noteOwnSign(opened, name, { pid: process.pid, isActive: taken.length > 0 })
        return taken.map(({ id, entry }) => ({
          id,
          from: entry.from,
          kind: kindOf(entry.text),
          text: entry.text,
          summary: entry.summary,
          timestamp: entry.timestamp,
        }))
      }),
  )
  server.registerTool("TeamStatus", { description: "Who is in the team.", inputSchema: z.object({}) }, () =>
    answering(async () => ({
      team: (await team()).name,
      members: (await (await team()).config()).members.map(({ name, agentType, color, isActive }) => ({
        name,
        agentType,
        color,
        isActive,
      })),
    })),
  )
  if (plans === true)
    server.registerTool(
      PLAN_TOOL,
      {
        description:
          "Hand in your plan, whole and as Markdown. It replaces the one that waits; the decision reaches you as a message.",
        inputSchema: z.object({ plan: z.string().trim().min(1) }),
      },
      ({ plan }) =>
        answering(async () => {
          await submitPlan(await team(), name, plan)
          return { success: true, message: WAITS }
        }),
    )
  const ask = z.looseObject({
    tool_name: z.string(),
    input: z.record(z.string(), z.unknown()),
    tool_use_id: z.string().optional(),
  })
  server.registerTool(
    "AskPermission",
    { description: "Asks a person; used by the program itself.", inputSchema: ask },
    (input, context) =>
      answering(async () => {
        const opened = await team()
        if (planning === true && !LOOKING.includes(input.tool_name))
          return { behavior: "deny", message: await whilePlanning(opened, name, input) }
        // Who plans of its own accord ends that of its own accord; what it may do then, its mode says as before.
        if (PLAN_MODE.has(input.tool_name)) return { behavior: "allow", updatedInput: input.input }
        const description =
          typeof input.input["description"] === "string"
            ? input.input["description"]
            : JSON.stringify(input.input).slice(0, 200)
        const id = await requestPermission(opened, name, {
          toolName: input.tool_name,
          toolUseId: input.tool_use_id ?? "",
          description,
          input: input.input,
        })
        const answer = await awaitPermission(opened, name, id, context.mcpReq.signal)
        return answer.allowed
          ? { behavior: "allow", updatedInput: answer.input }
          : { behavior: "deny", message: answer.reason }
      }),
  )
}

/**
 * A program in its plan mode asks before it changes anything, and the answer is no. Asking to leave that mode hands in
 * the plan.
 */
async function whilePlanning(
  team: Team,
  name: string,
  { tool_name, input: { plan, planFilePath } }: { tool_name: string; input: Record<string, unknown> },
): Promise<string> {
  if (tool_name !== "ExitPlanMode") return "You are in plan mode: nothing is changed before your plan is approved."
  if (typeof plan !== "string" || plan.trim() === "")
    return "There is no plan yet. Write it into your plan file, then call ExitPlanMode again."
  await submitPlan(team, name, plan, typeof planFilePath === "string" ? planFilePath : undefined)
  return WAITS
}

function taskTools(server: McpServer, { name }: TeamToolsOptions, team: () => Promise<Team>): void {
  const create = z.object({
    subject: z.string().describe("What to do, in the imperative"),
    description: z.string(),
    activeForm: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    blockedBy: z.array(z.string()).optional(),
  })
  server.registerTool("TaskCreate", { description: "Add a task to the team's list.", inputSchema: create }, (input) =>
    answering(async () => (await team()).createTask(input)),
  )
  server.registerTool(
    "TaskGet",
    { description: "One task in full.", inputSchema: z.object({ taskId: z.string() }) },
    ({ taskId }) => answering(async () => (await team()).task(taskId)),
  )
  server.registerTool(
    "TaskList",
    { description: "All tasks: who has them and what they wait for.", inputSchema: z.object({}) },
    () =>
      answering(async () => {
        const tasks = (await (await team()).tasks()).filter((task) => task.metadata?.["_internal"] !== true)
        return tasks.map(({ id, subject, status, owner, blockedBy }) => ({ id, subject, status, owner, blockedBy }))
      }),
  )
  server.registerTool(
    "TaskUpdate",
    { description: "Take, complete, assign or change a task.", inputSchema: TaskUpdateInput },
    ({ taskId, ...patch }) => answering(async () => updateAs(await team(), name, taskId, patch)),
  )
}

async function updateAs(
  team: Team,
  name: string,
  taskId: string,
  patch: Omit<z.infer<typeof TaskUpdateInput>, "taskId">,
): Promise<unknown> {
  const { owner, ...rest } = patch
  if (owner !== undefined) await team.member(owner)
  const takes = rest.status === "in_progress" && (owner === undefined || owner === name) && name !== TEAM_LEAD
  if (takes) await team.claimTask(taskId, name)
  const change = takes ? { ...rest, status: undefined } : rest
  if (Object.values(change).some((value) => value !== undefined)) await team.updateTask(taskId, change)
  if (owner !== undefined && !takes) await assignTask(team, name, taskId, owner)
  return rest.status === "deleted" ? { id: taskId, status: "deleted" } : team.task(taskId)
}

function leadTools(server: McpServer, options: TeamToolsOptions, team: () => Promise<Team>): void {
  server.registerTool(
    "TeamCreate",
    {
      description: "Make the team.",
      inputSchema: z.object({ team_name: z.string().optional(), description: z.string().optional() }),
    },
    (input) =>
      answering(async () => {
        const made = await createTeam(
          { name: input.team_name ?? options.team, description: input.description },
          { root: options.root },
        )
        return { team_name: made.name, team_file_path: made.paths.config, lead_agent_id: `${TEAM_LEAD}@${made.name}` }
      }),
  )
  server.registerTool(
    "TeamDelete",
    { description: "Remove the team and its tasks, once all members have left.", inputSchema: z.object({}) },
    () =>
      answering(async () => {
        await (await team()).delete()
        return { success: true, message: `Team "${options.team}" deleted` }
      }),
  )
  const { spawn } = options
  if (spawn === undefined) return
  const input = z.object({
    name: z.string(),
    prompt: z.string(),
    program: SpawnedProgram.optional(),
    subagent_type: z.string().optional(),
    model: z.string().optional(),
    mode: TeamPermissionMode.optional(),
    cwd: z.string().optional(),
  })
  server.registerTool(
    "Spawn",
    { description: "Start a new member and give it its first message.", inputSchema: input },
    ({ subagent_type, ...request }) =>
      answering(async () => spawn(await team(), { ...request, agentType: subagent_type })),
  )
}
