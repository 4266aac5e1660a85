import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { ChorusError, type UserId } from "@chorus/contracts"
import { type ChorusServer, runningServer, startServer } from "@chorus/server"
import { Command } from "commander"
import { paint, printJson, type Target, withData } from "../output.ts"

const ANSWERS_WITHIN_MS = 3000

interface Place {
  readonly url: string
  readonly token: string
}

/** Shows Chorus at work: on the server that runs, or on one of its own that leaves nothing behind. */
export function demoCommand(): Command {
  return withData(new Command("demo"))
    .addHelpText("after", "\nWithout a running server the demo has one of its own; its data goes when it ends.")
    .action(async (options: Target) => {
      const running = runningServer(options.data)
      if (running !== undefined && (await answers(running.url))) return tell(running, options.json ?? false)
      await onItsOwn(options.json ?? false)
    })
}

/** A server that was killed could not take its note away. */
async function answers(url: string): Promise<boolean> {
  if (url === "") return false
  const response = await fetch(new URL("/api/health", url), { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).catch(
    () => undefined,
  )
  return response?.ok === true
}

async function onItsOwn(json: boolean): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "chorus-demo-"))
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve())
  })
  let server: ChorusServer | undefined
  try {
    server = await startServer({ dataDirectory: directory, port: 0 })
    const place = runningServer(directory)
    if (place === undefined)
      throw new ChorusError("demo_failed", "The demo's server did not say where it is.", {
        status: 500,
        next: "Try again.",
      })
    await tell(place, json)
    if (!json) process.stdout.write(`${paint("dim", "Ctrl-C ends the demo and forgets it.")}\n`)
    await ended
  } finally {
    await server?.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function tell(place: Place, json: boolean): Promise<void> {
  const { ask, call } = createClient({ url: place.url, key: place.token })
  const { projectUuid } = await ask("POST /api/demo", {})
  const { uuid } = await call("chorus_whoami", {})
  const { signInPath } = await call("chorus_create_sign_in_link", { userUuid: uuid as UserId }, { retry: false })
  const link = new URL(signInPath, place.url)
  link.searchParams.set("next", `/projects/${projectUuid}/board`)
  if (json) return printJson({ projectUuid, url: link.href })
  process.stdout.write(
    `a scripted team is building a sample project; watch it (the link signs you in once):\n${paint("cyan", link.href)}\n`,
  )
}
