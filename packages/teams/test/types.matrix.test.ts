import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { TeamPermissionMode } from "@chorus/contracts"
import { agentProgram } from "@chorus/testing"
import { expect, onTestFinished, test } from "vitest"
import { agentType, driverFor, progressOf, TeamObserver, teamTools } from "../src/index.ts"
import { hostedHere } from "./lead.ts"
import { ledTeam, PROGRAMS, scripted } from "./led-team.ts"

const TYPES = ["general-purpose", "Explore", "Plan", "Bash"] as const
type Does = "writes" | "runs" | "reaches"
interface Row {
  readonly program: (typeof PROGRAMS)[number]["program"]
  readonly type: (typeof TYPES)[number]
  readonly mode: TeamPermissionMode
}

/** What a member does to whom everybody who is asked says no. */
function may({ program, type, mode }: Row): readonly Does[] {
  if (type === "Explore" || type === "Plan" || mode === "plan") return []
  // It has one sandbox for edits and commands, which without permission checks only a member with all tools can leave.
  if (program === "codex") return mode === "bypassPermissions" && type !== "Bash" ? ALL : ["writes", "runs"]
  if (mode === "bypassPermissions") return type === "Bash" ? ["runs", "reaches"] : ALL
  return (mode === "acceptEdits" || mode === "delegate") && type !== "Bash" ? ["writes"] : []
}
const ALL: readonly Does[] = ["writes", "runs", "reaches"]

const [CLAUDE] = PROGRAMS
const WHO = [
  ...PROGRAMS.map((one) => ({ ...one, who: one.program, version: undefined })),
  { ...CLAUDE, who: "claude 2.1.41", version: "2.1.41" as const },
]

const rows = WHO.flatMap((one) =>
  TYPES.flatMap((type) =>
    TeamPermissionMode.options
      // It is not started to plan.
      .filter((mode) => one.version === undefined || mode !== "plan")
      .map((mode) => {
        const does = may({ program: one.program, type, mode })
        return { ...one, type, mode, does, told: does.join(", ") || "does nothing" }
      }),
  ),
)

test.for(rows)(
  "headless $who of type $type in mode $mode: it $told",
  async ({ program, version, write, run, type, mode, does }) => {
    let reached = 0
    const server = createServer((_, answer) => answer.end(String(++reached))).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const { home, root } = await scripted(({ sincePrompt }) => {
      const reach = run(`touch run.txt; curl -s http://127.0.0.1:${port}/`)
      const step = [write(join(home.project, "written.txt"), "x"), reach][sincePrompt]
      return step === undefined ? { text: "Tried." } : { tools: [step] }
    })
    const { team, spawn, said } = await ledTeam(root)
    const observer = new TeamObserver({
      root,
      onFact(fact) {
        if (fact.fact !== "request" || fact.request !== "permission") return
        const { member, requestId } = fact
        void observer.decide({ decision: "permission", by: "Ada", team: "t", member, requestId, approved: false })
      },
    })
    onTestFinished(() => observer.close())
    const path = await (program === "claude" ? agentProgram("claude-code", version) : agentProgram(program))
    await spawn({
      name: "tries",
      prompt: "Try it.",
      env: home.environment,
      cwd: home.project,
      mode,
      backend: hostedHere(({ cwd, env }) => {
        const { tools: onlyTools } = agentType(type, { root, project: cwd })
        const tools = teamTools({ root, team: "t", name: "tries" })
        return driverFor({ program, argv: [path] }, { team: "t", name: "tries", cwd, env, tools, onlyTools })
      }),
    })
    await said("tries", /idle_notification|plan_approval_request/)
    const left = readdirSync(home.project)
    const done = { writes: left.includes("written.txt"), runs: left.includes("run.txt"), reaches: reached > 0 }
    expect(ALL.filter((one) => done[one])).toEqual(does)
    expect(progressOf(team.paths, "tries")?.tokens, "what it has cost is known").toBeGreaterThan(0)
  },
)
