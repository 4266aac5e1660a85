import type { InputOf, machines, TeamMemberState, TeamProgress, TeamSettledHow } from "@chorus/contracts"
import { type Hired, hire } from "./workplace.ts"

type Report = InputOf<typeof machines.reportMachine>
type Fact = NonNullable<Report["teamFacts"]>[number]
export type Terminal = NonNullable<Report["terminals"]>[number]

const AT = "2026-01-01T09:00:00.000Z"

/** A machine of its own name whose companion tells what happens on it. */
export async function openMachine(): Promise<{
  readonly machine: string
  readonly agent: Hired
  tell(report: Omit<Report, "machine">): Promise<{ readonly machineUuid: string }>
}> {
  const agent = await hire("Companion")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  return { machine, agent, tell: (report) => agent.client.call("chorus_report_machine", { machine, ...report }) }
}

/** What is told of one team. */
export function factsOf(team: string) {
  const about = { team, at: AT }
  return {
    begun: (more: { readonly description?: string; readonly ledByChorus?: boolean } = {}): Fact => ({
      ...about,
      fact: "team",
      era: "session",
      ledByChorus: false,
      ...more,
    }),
    gone: (): Fact => ({ ...about, fact: "team_gone" }),
    member: (
      name: string,
      {
        state = "working",
        lead = false,
        progress,
        branch,
        ...more
      }: {
        readonly state?: TeamMemberState
        readonly lead?: boolean
        readonly progress?: TeamProgress
        readonly branch?: string
        readonly color?: string
        readonly model?: string
        readonly agentType?: string
      } = {},
    ): Fact => ({
      ...about,
      fact: "member",
      member: { agentId: `${name}@${team}`, name, joinedAt: 1, tmuxPaneId: "", cwd: "/", subscriptions: [], ...more },
      state,
      lead,
      ...(progress === undefined ? {} : { progress }),
      ...(branch === undefined ? {} : { branch }),
    }),
    left: (name: string): Fact => ({ ...about, fact: "member_left", name }),
    said: (id: string, from: string, to: string, text: string, kind = "message"): Fact => ({
      ...about,
      fact: "message",
      id,
      from,
      to,
      kind,
      text,
      sentAt: AT,
    }),
    settled: (
      requestId: string,
      member: string,
      more: {
        readonly request?: "plan" | "permission" | "shutdown"
        readonly approved?: boolean
        readonly how?: TeamSettledHow
        readonly by?: string
        readonly toolName?: string
        readonly text?: string
      },
    ): Fact => ({
      ...about,
      fact: "request_settled",
      request: "plan",
      approved: false,
      requestId,
      member,
      settledAt: AT,
      ...more,
    }),
    task: (
      id: string,
      subject: string,
      more: {
        readonly status?: "pending" | "in_progress" | "completed"
        readonly owner?: string
        readonly blockedBy?: string[]
        readonly links?: string[]
      } = {},
    ): Fact => {
      const { links = [], ...rest } = more
      return {
        ...about,
        fact: "task",
        task: { id, subject, description: "", status: "pending", blocks: [], blockedBy: [], ...rest },
        links,
      }
    },
  }
}

/** A terminal that runs, but for what a test says. */
export function terminal(terminalId: string, changes: Partial<Terminal> = {}): Terminal {
  return {
    terminalId,
    agent: "claude",
    state: "running",
    since: Date.now() - 300_000,
    source: "claude:PreToolUse",
    title: terminalId,
    detail: null,
    summary: null,
    exitCode: null,
    resumeCommand: null,
    reason: null,
    outside: false,
    ask: null,
    asks: null,
    folder: null,
    unread: false,
    ended: false,
    ...changes,
  }
}
