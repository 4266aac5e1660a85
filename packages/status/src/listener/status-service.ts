import type { StatusLine } from "@chorus/contracts"
import { sessionFiles } from "../claude/session-file.ts"
import { claudeTranscriptLines } from "../claude/transcript.ts"
import { codexFailureLines } from "../codex/rollout.ts"
import { sessionIndex } from "../codex/session-index.ts"
import { appendedLines, type HookCall } from "../line/index.ts"
import { resumeForwarder, resumeStore, type ResumeStore } from "../resume/resume-store.ts"
import { type TruthLimits, truthWatch } from "../watch/truth-watch.ts"
import { type Listener, startListener } from "./listener.ts"
import { copyOf, readSnapshot, snapshot } from "./snapshot.ts"
import type { StatusForwarder } from "./terminal-book.ts"

/** What a session's files say may be written a moment after the hook that made us look. */
const SECOND_LOOK_MS = 400

export interface StatusServiceOptions {
  socketPath: string
  /** Everybody who is told of every change: the page's feed, notifications. */
  forwarders?: readonly StatusForwarder[]
  resume?: ResumeStore
  limits?: Partial<TruthLimits>
  now?: () => number
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
  const codexTitles = sessionIndex(files)
  const looks = new Set<NodeJS.Timeout>()

  const look = (call: HookCall): void => {
    const found =
      call.agent === "claude"
        ? [claudeTranscriptLines(call, files)]
        : [codexFailureLines(call, files), codexTitles(call)]
    for (const lines of found) void lines.then((all) => all.forEach((line) => listener.accept(line)))
  }
  const onHook = (call: HookCall): void => {
    sessions.follow(call)
    look(call)
    if (call.payload["hook_event_name"] !== "Stop") return
    const timer = setTimeout(() => {
      looks.delete(timer)
      look(call)
    }, SECOND_LOOK_MS)
    looks.add(timer)
  }

  const sessions = sessionFiles((line: StatusLine) => listener.settle(line))
  const resume = options.resume ?? resumeStore()
  const listener = await startListener({ socketPath: options.socketPath, now, onHook, onForget: resume.forget })
  const copy = snapshot(copyOf(options.socketPath), listener.book)
  const restored = readSnapshot(copyOf(options.socketPath), now())
  for (const entry of restored) listener.book.restore(entry)
  const forwarders = [
    ...(options.forwarders ?? []),
    resumeForwarder(resume),
    { changed: copy.save, removed: copy.save },
  ]
  const stops = forwarders.map((to) => listener.book.forward(to))
  const truth = truthWatch({
    book: listener.book,
    accept: listener.accept,
    now,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  })
  // What died in the meantime is told first: of that nothing is in doubt.
  await truth.tick()
  for (const { status } of restored) pickUp(status.terminalId)
  const refresh = setInterval(() => {
    sessions.keep(new Set(listener.book.entries().flatMap(({ status }) => (status.pid === null ? [] : [status.pid]))))
    sessions.refresh()
  }, 2000)

  /** What a former listener knew may have changed since; only a process or its own file can say. */
  function pickUp(terminalId: string): void {
    const status = listener.book.get(terminalId)?.status
    if (status === undefined || status.ended) return
    const { agent, pid } = status
    const at = Math.max(now(), status.sourceAt)
    const reason = "the listener was away; nothing was heard since"
    listener.accept({ terminalId, agent, event: "lost", at, source: "watch:restart", reason })
    if (agent !== "claude" || pid === null) return
    for (const line of sessions.pickUp(terminalId, pid)) listener.accept({ ...line, at: at + 1 })
  }

  return {
    listener,
    isNeeded: () => listener.connections() > 0 || listener.book.entries().some(({ status }) => status.pid !== null),
    async close() {
      clearInterval(refresh)
      looks.forEach((timer) => clearTimeout(timer))
      truth.close()
      sessions.close()
      for (const stop of stops) stop()
      copy.flush()
      await listener.close()
    },
  }
}
