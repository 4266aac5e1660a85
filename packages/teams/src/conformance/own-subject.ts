import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { TeamPermissionMode } from "@chorus/contracts"
import { replaceFile } from "@chorus/disk"
import { agentType } from "../agents/agent-type.ts"
import { claudeTerms } from "../agents/claude-driver.ts"
import { codexFlags, opencodeTerms, reachOf } from "../agents/permission-table.ts"
import { changeTasks, readConfig, readJson, teamNames, teamPaths, updateConfig, withTeamLock } from "../files/index.ts"
import { TeamObserver } from "../observer/team-observer.ts"
import { bodyOf, kindOf } from "../protocol/body.ts"
import {
  answerPermission,
  answerPlan,
  answerShutdown,
  assignTask,
  broadcast,
  notifyIdle,
  requestPermission,
  requestPlanApproval,
  requestShutdown,
  sendMessage,
} from "../protocol/send.ts"
import { writeProcessNote } from "../runtime/host-note.ts"
import { createTeam, openTeam, type Team } from "../team.ts"
import type { ConformanceSubject, TraceStep } from "./subject.ts"

/**
 * Chorus itself as the implementation under test. The clock moves one millisecond a step, as ids made in one must
 * differ.
 */
export function chorusSubject(): ConformanceSubject {
  let now = Date.now()
  const clock = { now: () => ++now }
  return {
    async perform(root, name, step) {
      if (step.do === "create_team") {
        await createTeam({ name, description: step["description"] as string | undefined }, { root, clock })
        return undefined
      }
      return act(await openTeam(name, { root, clock }), step)
    },
    async rewrite(root) {
      for (const name of teamNames(root)) await rewriteTeam(root, name)
    },
    async deliverable(root, name, agent) {
      const unread = await (await openTeam(name, { root })).unread(agent)
      return unread.map(({ entry }) => ({ text: entry.text, kind: kindOf(entry.text), body: bodyOf(entry.text) }))
    },
    async look(root, name) {
      const states: Record<string, string> = {}
      const open = new Set<string>()
      const observer = new TeamObserver({
        root,
        teams: [name],
        onFact(fact) {
          if (fact.fact === "member") states[fact.member.name] = fact.state
          if (fact.fact === "request") open.add(fact.requestId)
          if (fact.fact === "request_settled") open.delete(fact.requestId)
        },
      })
      await observer.look()
      observer.close()
      return { states, open: [...open] }
    },
    terms(program, typeName, given) {
      const mode = TeamPermissionMode.parse(given)
      const { tools, disallowedTools } = agentType(typeName, { root: "/nowhere", project: "/nowhere" })
      const type = { onlyTools: tools, disallowedTools }
      if (program === "claude") return { flags: claudeTerms(type, mode), permission: {} }
      if (program === "codex") return { flags: codexFlags(mode, reachOf(type)), permission: {} }
      return opencodeTerms(mode, reachOf(type))
    },
  }
}

async function act(team: Team, step: TraceStep): Promise<string | undefined> {
  const text = (field: string) => String(step[field])
  const maybe = (field: string) => step[field] as string | undefined
  switch (step.do) {
    case "join":
      await team.join({ name: text("name"), ...(step["planModeRequired"] === true ? { planModeRequired: true } : {}) })
      return undefined
    case "leave":
      await team.leave(text("name"))
      return undefined
    case "delete_team":
      await team.delete()
      return undefined
    case "send":
      await sendMessage(team, { from: text("from"), to: text("to"), content: text("text"), summary: maybe("summary") })
      return undefined
    case "broadcast":
      await broadcast(team, { from: text("from"), content: text("text") })
      return undefined
    case "take":
      await team.take(text("agent"))
      return undefined
    case "idle":
      await notifyIdle(team, text("from"), { summary: maybe("summary") })
      return undefined
    case "host":
      return host(team, text("name"))
    case "kill":
      process.kill(Number(step["request"]), "SIGKILL")
      return undefined
    default:
      return actOnTasks(team, step)
  }
}

/** A member that a process of its own stands for; returns which. */
async function host(team: Team, name: string): Promise<string> {
  await team.join({ name })
  // It ends with us at the latest: a case that fails does not come to its end.
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] })
  await once(child, "spawn")
  child.unref()
  writeProcessNote(team.paths, name, Number(child.pid))
  return String(child.pid)
}

async function actOnTasks(team: Team, step: TraceStep): Promise<string | undefined> {
  const text = (field: string) => String(step[field])
  switch (step.do) {
    case "create_task":
      return (
        await team.createTask({
          subject: text("subject"),
          description: text("description"),
          blockedBy: step["blockedBy"] as string[] | undefined,
        })
      ).id
    case "link":
      await team.updateTask(text("blocked"), { addBlockedBy: [text("blocker")] })
      return undefined
    case "claim":
      await team.claimTask(text("id"), text("by"))
      return undefined
    case "complete":
      await team.updateTask(text("id"), { status: "completed" })
      return undefined
    case "delete_task":
      await team.updateTask(text("id"), { status: "deleted" })
      return undefined
    case "assign":
      await assignTask(team, text("by"), text("id"), text("to"))
      return undefined
    default:
      return actOnRequests(team, step)
  }
}

async function actOnRequests(team: Team, step: TraceStep): Promise<string | undefined> {
  const text = (field: string) => String(step[field])
  switch (step.do) {
    case "request_shutdown":
      return (await requestShutdown(team, { from: text("from"), to: text("to"), reason: text("reason") })).request_id
    case "answer_shutdown":
      await answerShutdown(
        team,
        text("from"),
        text("request"),
        step["approve"] === true ? { approve: true } : { approve: false, reason: text("reason") },
      )
      return undefined
    case "request_plan":
      return requestPlanApproval(team, text("from"), { path: text("path"), content: text("content") })
    case "answer_plan":
      await answerPlan(team, text("to"), {
        requestId: text("request"),
        approved: step["approved"] === true,
        feedback: step["feedback"] as string | undefined,
        permissionMode: step["permissionMode"] as string | undefined,
      })
      return undefined
    case "request_permission":
      return requestPermission(team, text("from"), {
        toolName: text("tool"),
        toolUseId: text("toolUseId"),
        description: text("description"),
        input: step["input"] as Record<string, unknown>,
      })
    case "answer_permission":
      await answerPermission(
        team,
        text("to"),
        step["approved"] === true
          ? { requestId: text("request"), approved: true, updatedInput: step["input"] as Record<string, unknown> }
          : { requestId: text("request"), approved: false, reason: text("reason") },
      )
      return undefined
    default:
      throw new Error(`unknown step ${step.do}`)
  }
}

async function rewriteTeam(root: string, name: string): Promise<void> {
  const paths = teamPaths(root, name)
  await readConfig(paths)
  await updateConfig(paths, (config) => ({ ...config }))
  for (const file of readdirSync(paths.inboxes).filter((entry) => entry.endsWith(".json"))) {
    const path = paths.inbox(file.slice(0, -".json".length))
    const entries = await readJson(path)
    await withTeamLock(paths, path, (held) => replaceFile(path, JSON.stringify(entries, null, 2), { held }))
  }
  await changeTasks(paths, (tasks) => ({ write: [...tasks.values()], result: undefined }))
}
