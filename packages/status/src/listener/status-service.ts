import { homedir } from "node:os"
import type { StatusLine } from "@chorus/contracts"
import { isNewFailure } from "@chorus/core"
import { claudeConfig, sessionFiles, transcriptOf } from "../claude/session-file.ts"
import { claudeTranscriptLines } from "../claude/transcript.ts"
import { codexRolloutLines } from "../codex/rollout.ts"
import { sessionIndex } from "../codex/session-index.ts"
import { jump } from "../jump/jump.ts"
import { appendedLines, type HookCall } from "../line/index.ts"
import { notifySettings } from "../notify/notify-settings.ts"
import { resumeForwarder, resumeStore, type ResumeStore, stateFolder } from "../resume/resume-store.ts"
import { type AgentHere, agentsHere } from "../watch/agents-here.ts"
import { environmentOf, type ProcessTable, processTable } from "../watch/process-table.ts"
import { type TruthLimits, truthWatch } from "../watch/truth-watch.ts"
import { type Listener, startListener } from "./listener.ts"
import { copyOf, readSnapshot, snapshot } from "./snapshot.ts"
import type { StatusForwarder, TerminalEntry } from "./terminal-book.ts"

/** What a session's files say may be written a moment after the sign that made us look. */
const SECOND_LOOK_MS = 400

/** After these hooks a session's files may hold more than the hook itself. */
const LOOK_AFTER = new Set([
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostModelRequest",
  "Stop",
  "StopFailure",
  "Interrupt",
  "SessionEnd",
])

/** Who could not be heard tries again ten times a second, and in no order; a new listener hears them all first. */
const UNHEARD_MS = 250

/** Agents that nobody started through us are looked for this often. */
const FIND_EVERY_MS = 4000

export interface StatusServiceOptions {
  socketPath: string
  /** Everybody who is told of every change: the page's feed, notifications. */
  forwarders?: readonly StatusForwarder[]
  resume?: ResumeStore
  limits?: Partial<TruthLimits>
  now?: () => number
  processes?: ProcessTable
  /** Whose agents are looked for: those that were started with this home. */
  home?: string
}

export interface StatusService {
  readonly listener: Listener
  /** Whether a live agent or a view still needs this listener. */
  isNeeded(): boolean
  close(): Promise<void>
}

/** The listener with everything that keeps it truthful: the agents' own files, the process watch, the stored copy. */
export async function startStatusService(options: StatusServiceOptions): Promise<StatusService> {
  const now = options.now ?? Date.now
  const files = appendedLines()
  const home = options.home ?? process.env["HOME"] ?? homedir()
  const switches = notifySettings(stateFolder({ ...process.env, HOME: home }))
  const processes = options.processes ?? processTable()
  const codexTitles = sessionIndex(files)
  const looks = new Set<NodeJS.Timeout>()

  /** The newest call of each terminal: it says where that session's files are. */
  const calls = new Map<string, HookCall>()

  const look = (call: HookCall): void => {
    const found =
      call.agent === "claude"
        ? [claudeTranscriptLines(call, files)]
        : [codexRolloutLines(call, files), codexTitles(call)]
    for (const lines of found) void lines.then((all) => all.forEach((line) => listener.accept(line)))
  }
  const onHook = (call: HookCall): void => {
    const event = String(call.payload["hook_event_name"])
    calls.set(call.terminalId, placeOf(call))
    sessions.follow(call)
    if (LOOK_AFTER.has(event)) look(call)
    if (event === "Stop") lookAgain(call)
  }
  const lookAgain = (call: HookCall): void => {
    const timer = setTimeout(() => {
      looks.delete(timer)
      look(call)
    }, SECOND_LOOK_MS)
    looks.add(timer)
  }

  const sessions = sessionFiles((line: StatusLine) => {
    const call = calls.get(line.terminalId)
    // A turn that ends without a hook may have failed; only its transcript says so.
    if (line.event === "idle" && call !== undefined) lookAgain(call)
    const known = listener.book.get(line.terminalId)?.status
    // What the file says still holds, also where it was written a moment before somebody lost sight of the agent.
    listener.settle(known?.state === "unknown" ? { ...line, at: Math.max(line.at, known.sourceAt + 1) } : line)
  })
  const resume = options.resume ?? resumeStore()
  const onJump = async (terminalId: string): Promise<void> => {
    const { pid = null, folder = null } = listener.book.get(terminalId)?.status ?? {}
    await jump(pid, folder)
  }
  // Before anybody can be heard: what is told from now on is newer than what a former listener knew.
  const restoredAt = now()
  const listener = await startListener({
    socketPath: options.socketPath,
    now,
    onHook,
    onForget: resume.forget,
    onJump,
    terminalOf,
    collects: true,
  })
  const copy = snapshot(copyOf(options.socketPath), listener.book)
  const restored = readSnapshot(copyOf(options.socketPath), now())
  for (const entry of restored) listener.book.restore(entry)
  const forwarders = [...(options.forwarders ?? []), resumeForwarder(resume), { changed: copy.save, removed }]
  /** What a person took off the list must not come back with the next listener, however soon this one is killed. */
  function removed(terminalId: string): void {
    calls.delete(terminalId)
    copy.save()
    copy.flush()
  }
  const stops = forwarders.map((to) => listener.book.forward(to))
  const truth = truthWatch({
    book: listener.book,
    accept: listener.accept,
    now,
    processes,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  })
  if (restored.length > 0) await new Promise((wake) => setTimeout(wake, UNHEARD_MS))
  listener.begin()
  // What was brought to us is as good as heard.
  const silent = restored.filter(
    ({ status }) => listener.book.get(status.terminalId)?.status.sourceAt === status.sourceAt,
  )
  // What died in the meantime is told first: of that nothing is in doubt.
  await truth.tick()
  for (const entry of silent) await pickUp(entry)
  await findAgents()
  let finding = false
  const find = setInterval(() => {
    if (finding) return
    finding = true
    void findAgents().finally(() => (finding = false))
  }, FIND_EVERY_MS)
  const refresh = setInterval(() => {
    const entries = listener.book.entries()
    sessions.keep(new Set(entries.flatMap(({ status }) => (status.pid === null ? [] : [status.pid]))))
    sessions.refresh()
    for (const { terminalId, state, outside } of entries.map(({ status }) => status)) {
      const call = calls.get(terminalId)
      if (call !== undefined && (state === "running" || state === "needsInput" || outside)) look(call)
    }
  }, 2000)

  /** What a former listener knew may have changed since; only a process or its own file can say. */
  async function pickUp({ status, heardAt }: TerminalEntry): Promise<void> {
    const { terminalId, agent, pid, state } = status
    if (listener.book.get(terminalId)?.status.ended !== false) return
    const lines = agent === "claude" && pid !== null ? sessions.pickUp(terminalId, pid, await homeOf(pid)) : []
    const isOver = state === "finished" || state === "idle"
    // A turn that was over, and nothing has begun since: what it came to still holds.
    if (isOver && lines.some(({ event, at }) => event === "idle" && at <= heardAt + SECOND_LOOK_MS)) return
    if (isNewFailure(status) && lines.length === 0) return
    // What an agent has told again by now came after this, and counts.
    const at = Math.max(restoredAt, status.sourceAt)
    const reason = "the listener was away; nothing was heard since"
    listener.accept({ terminalId, agent, event: "lost", at, source: "watch:restart", reason })
    for (const line of lines) listener.accept({ ...line, at: at + 1 })
  }

  async function homeOf(pid: number): Promise<{ config: string; alone: boolean }> {
    return { config: claudeConfig(await environmentOf(pid)), alone: false }
  }

  /** Where an agent is that was not started through us and has a plugin of ours, as `chorus connect opencode` gives it one. */
  async function terminalOf({ agent, pid, at }: StatusLine): Promise<string | undefined> {
    const found = (await agentsHere(processes, 0)).find((one) => one.pid === pid && one.agent === agent)
    if (found === undefined || !isOurs(found)) return undefined
    // What it says itself came after this.
    if (listener.book.get(found.terminalId)?.status.ended ?? true) await takeUp(found, at - 1)
    return found.terminalId
  }

  function isOurs({ agent, environment, reportsTo }: AgentHere): boolean {
    const isOthers = reportsTo !== undefined && reportsTo !== options.socketPath
    return !isOthers && environment["HOME"] === home && switches.isReported(agent)
  }

  /**
   * Agents that run here and of which nothing was heard: started without us, or by us and forgotten with a lost copy.
   */
  async function findAgents(): Promise<void> {
    const at = now()
    for (const found of await agentsHere(processes)) {
      if (!isOurs(found)) continue
      const known = listener.book.get(found.terminalId)?.status
      if (known?.ended ?? true) await takeUp(found, at)
      // Codex begins a session's file with its first prompt.
      if (known?.outside === true) followRecord(found, at)
    }
  }

  /** What the agent says itself from the moment it was looked for counts. */
  async function takeUp(found: AgentHere, at: number): Promise<void> {
    const { agent, pid, terminalId, folder, reportsTo, environment } = found
    const outside = reportsTo === undefined
    const begun = { terminalId, agent, pid, tab: await found.tab(), folder, outside, source: "found:process" }
    const reason = outside ? "it was started without Chorus, and says nothing of itself" : "nothing was heard of it yet"
    listener.accept({ ...begun, event: "idle", at })
    listener.accept({ ...begun, event: "lost", at, reason })
    if (agent === "claude")
      for (const line of sessions.pickUp(terminalId, pid, { config: claudeConfig(environment), alone: outside }))
        listener.accept({ ...line, at: at + 1 })
    followRecord(found, at)
  }

  function followRecord({ agent, pid, terminalId, environment, record }: AgentHere, at: number): void {
    const kept = agent === "claude" ? transcriptOf(claudeConfig(environment), pid) : undefined
    const [session_id, transcript_path] = kept === undefined ? [undefined, record] : [kept.session, kept.path]
    if (transcript_path === undefined || transcript_path === calls.get(terminalId)?.payload["transcript_path"]) return
    const call = { terminalId, agent, pid, at, payload: { session_id, transcript_path } }
    calls.set(terminalId, call)
    look(call)
  }

  return {
    listener,
    isNeeded: () => listener.connections() > 0 || listener.book.entries().some(({ status }) => status.pid !== null),
    async close() {
      clearInterval(refresh)
      clearInterval(find)
      looks.forEach((timer) => clearTimeout(timer))
      truth.close()
      sessions.close()
      for (const stop of stops) stop()
      copy.flush()
      await listener.close()
    },
  }
}

/** A call without what its tool was given and said, which may be long. */
function placeOf(call: HookCall): HookCall {
  const { session_id, transcript_path, hook_event_name } = call.payload
  return { ...call, payload: { session_id, transcript_path, hook_event_name } }
}
