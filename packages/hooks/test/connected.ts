import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { type ChorusServer, startServer } from "@chorus/server"
import {
  agentProgram,
  CHORUS_MAIN,
  openTerminal,
  runAgent,
  type ScratchHome,
  scratchHome,
  type ScriptedModel,
  startModel,
  temporaryDirectory,
  type Terminal,
} from "@chorus/testing"
import type { Version } from "./board.ts"

interface Outcome {
  readonly version: string
  readonly plugin?: string
  readonly done: string[]
  readonly todo: string[]
}

/** A machine with a server, Claude Code of a version, and a person who types `chorus …`. */
export interface Desk extends AsyncDisposable {
  readonly server: ChorusServer
  readonly home: ScratchHome
  readonly model: ScriptedModel
  connect(...args: string[]): Promise<Outcome>
  disconnect(): Promise<Outcome>
  /** What doctor says of Claude Code on the board. */
  doctor(): Promise<string | undefined>
  /** Has it say something; whether it was told of Chorus. */
  greets(prompt: string): Promise<boolean>
  /** A session in a terminal, ready for a prompt. */
  atTerminal(env?: Record<string, string>): Promise<Terminal>
  /** A session that is open until it is let go, and then ends as it should. */
  stays(): Promise<{ end(): Promise<unknown> }>
  claude(...args: string[]): Promise<{ code: number | null }>
  settings(): Record<string, unknown>
}

export async function openDesk(version: Version): Promise<Desk> {
  const data = temporaryDirectory("data-")
  const server = await startServer({ dataDirectory: data.path, port: 0 })
  const model = await startModel(() => ({ text: "Hello." }))
  const home = scratchHome({ model })
  const program = await agentProgram("claude-code", version)
  const chorus = async (...args: string[]): Promise<string> => {
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home.path,
      CHORUS_DATA: data.path,
      DISABLE_AUTOUPDATER: "1",
    }
    const run = promisify(execFile)(process.execPath, [CHORUS_MAIN, ...args, "--json"], { env, cwd: home.project })
    return (await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }))).stdout
  }
  const outcome = async (...args: string[]) => JSON.parse(await chorus(...args, "--claude", program)) as Outcome
  return {
    server,
    home,
    model,
    connect: (...args) => outcome("connect", "claude", ...args),
    disconnect: () => outcome("disconnect", "claude"),
    doctor: async () => {
      const { findings } = JSON.parse(await chorus("doctor")) as { findings: { what: string; found: string }[] }
      return findings.find(({ what }) => what === "status: claude board")?.found
    },
    greets: async (prompt) => {
      const heard = model.requests.length
      const args = ["-p", prompt, "--permission-mode", "bypassPermissions"]
      await runAgent({ agent: "claude-code", version, home, args })
      return model.requests.slice(heard).some((request) => request.all.includes("Chorus"))
    },
    atTerminal: async (more = {}) => {
      const terminal = await openTerminal({
        command: program,
        args: ["--permission-mode", "bypassPermissions"],
        env: { ...home.environment, ...more },
        cwd: home.project,
      })
      await terminal.waitForText(/^\s*❯/m)
      return terminal
    },
    stays: async () => {
      const { promise: letGo, resolve } = Promise.withResolvers<void>()
      model.script(async () => {
        await letGo
        return { text: "Hello." }
      })
      const heard = model.requests.length
      const run = runAgent({ agent: "claude-code", version, home, args: ["-p", "Stay."] })
      await model.waitFor((request) => model.requests.indexOf(request) >= heard && request.prompt.includes("Stay."))
      return {
        end: () => {
          resolve()
          return run
        },
      }
    },
    claude: (...args) => runAgent({ agent: "claude-code", version, home, args }),
    settings: () =>
      JSON.parse(readFileSync(join(home.path, ".claude", "settings.json"), "utf8")) as Record<string, unknown>,
    async [Symbol.asyncDispose]() {
      await server.close()
      await model.stop()
      await home.remove()
      await data.remove()
    },
  }
}

/** Whatever still speaks of us in Claude Code's own files, transcripts of conversations left out. */
export function leftovers({ home }: Desk): string[] {
  const folder = join(home.path, ".claude")
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      // Copies of its own settings are Claude Code's, which makes and tidies them as it likes; the key in them is revoked.
      (file) =>
        !/^(backups|projects|sessions|debug|statsig|telemetry|session-env|shell-snapshots|todos|history)/.test(file),
    )
    .filter(
      (file) =>
        /chorus-(plugins|legacy)/.test(file) ||
        (statSync(join(folder, file)).isFile() &&
          /chorus-plugins|chorus@|CHORUS_|cho_/.test(readFileSync(join(folder, file), "utf8"))),
    )
}
