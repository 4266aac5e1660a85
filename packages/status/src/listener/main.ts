// The listener's own process. It imports little on purpose: it stays for as long as any agent runs.
import { parseArgs } from "node:util"
import { notificationForwarder } from "../notify/notifier.ts"
import { startStatusService } from "./status-service.ts"
import { lineFile } from "./line-file.ts"
import { socketPath } from "./socket-path.ts"

/** How often a listener started on demand asks itself whether it is still needed. */
const LOOK_EVERY_MS = 5000

const { values } = parseArgs({ options: { socket: { type: "string" }, "until-idle": { type: "string" }, quiet: { type: "boolean" } } })

try {
  await run(values.socket ?? socketPath(), values["until-idle"] === undefined ? undefined : Number(values["until-idle"]))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function run(path: string, idleMs: number | undefined): Promise<void> {
  const service = await startStatusService({ socketPath: path, forwarders: [notificationForwarder()] })
  const line = lineFile(`${path}.line`, service.listener.book)
  const end = async () => {
    line.close()
    await service.close()
    process.exit(0)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void end())
  if (values.quiet !== true) process.stdout.write(`listening on ${path}\n`)
  if (idleMs === undefined) return
  let neededAt = Date.now()
  setInterval(() => {
    if (service.isNeeded()) neededAt = Date.now()
    if (Date.now() - neededAt > idleMs) void end()
  }, Math.min(LOOK_EVERY_MS, idleMs))
}
