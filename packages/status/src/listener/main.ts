// The listener's own process. It imports little on purpose: it stays for as long as any agent runs.
import { rmSync } from "node:fs"
import { parseArgs } from "node:util"
import { ChorusError } from "@chorus/contracts"
import { desktopChannel } from "../notify/desktop-channel.ts"
import { notificationForwarder } from "../notify/notifier.ts"
import { terminalChannel } from "../notify/terminal-channel.ts"
import { tellTerminal } from "./listener-client.ts"
import { startStatusService, type StatusService } from "./status-service.ts"
import { lineFile } from "./line-file.ts"
import { socketPath } from "./socket-path.ts"
import { CRASHED } from "./supervision.ts"

/** How often a listener started on demand asks itself whether it is still needed. */
const LOOK_EVERY_MS = 5000

/** After this much silence, or of talk, what the talk left behind is given back to the system. */
const TIDY_QUIET_MS = 3000
const TIDY_AT_LEAST_MS = 30_000

const { values } = parseArgs({
  options: { socket: { type: "string" }, "until-idle": { type: "string" }, quiet: { type: "boolean" } },
})

const path = values.socket ?? socketPath()
// Not awaited at the top: what is bundled without modules starts in ten megabytes less.
run(path, values["until-idle"] === undefined ? undefined : Number(values["until-idle"])).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
  // A former listener's line is a claim nobody stands for, unless another listener does.
  if (!(error instanceof ChorusError && error.code === "listener_running")) rmSync(`${path}.line`, { force: true })
})

async function run(path: string, idleMs: number | undefined): Promise<void> {
  const show = (terminalId: string) => void tellTerminal(path, terminalId, { ask: "jump" }).catch(() => undefined)
  const pidOf = (terminalId: string) => service.listener.book.get(terminalId)?.status.pid ?? null
  const calls = notificationForwarder({ channels: [desktopChannel({ onClick: show }), terminalChannel(pidOf)] })
  const service = await startStatusService({ socketPath: path, forwarders: [calls] })
  process.once("uncaughtException", (error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(CRASHED)
  })
  const line = lineFile(`${path}.line`, service.listener.book)
  const end = async (isUnneeded: boolean) => {
    line.close(isUnneeded)
    await service.close()
    process.exit(0)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void end(false))
  if (values.quiet !== true) process.stdout.write(`listening on ${path}\n`)
  tidyUp(service)
  if (idleMs === undefined) return
  let neededAt = Date.now()
  setInterval(
    () => {
      if (service.isNeeded()) neededAt = Date.now()
      if (Date.now() - neededAt > idleMs) void end(true)
    },
    Math.min(LOOK_EVERY_MS, idleMs),
  )
}

/** Left alone, the engine keeps what it once needed; it is asked to give back what nobody uses, which takes it a few milliseconds. */
function tidyUp({ listener }: StatusService): void {
  const collect = globalThis.gc
  if (collect === undefined) return
  let [changedAt, tidiedAt] = [Date.now(), 0]
  listener.book.forward({ changed: () => (changedAt = Date.now()) })
  setInterval(() => {
    const now = Date.now()
    if (changedAt <= tidiedAt || (now - changedAt < TIDY_QUIET_MS && now - tidiedAt < TIDY_AT_LEAST_MS)) return
    tidiedAt = now
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
  }, 1000).unref()
}
