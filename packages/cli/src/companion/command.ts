import { hostname } from "node:os"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { holdDirectory } from "@chorus/server"
import { socketPath } from "@chorus/status"
import { Command, Option } from "commander"
import { paint } from "../output.ts"
import { session } from "../plugin/session.ts"
import { type Target, withTarget } from "../target.ts"
import { startCompanion } from "./companion.ts"

interface CompanionFlags extends Target {
  readonly machine: string
}

export function companionCommand(): Command {
  return withTarget(new Command("companion"))
    .addOption(new Option("--machine <name>", "what this machine is called on the board").default(hostname()))
    .action(async (flags: CompanionFlags) => {
      const { url, key } = credentials(flags)
      // One per machine and user; the lock goes with the process that holds it.
      const held = holdDirectory(join(flags.data, "companion"))
      const companion = startCompanion({ client: createClient({ url, key }), machine: flags.machine, socketPath: socketPath(), plugins: () => session({ json: true }), claudeDirectory: process.env["CLAUDE_CONFIG_DIR"] })
      process.stdout.write(`${paint("green", "companion")} of ${flags.machine} reports to ${url}\n`)
      await new Promise<void>((stop) => {
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop())
      })
      await companion.close()
      held.release()
    })
}

function credentials({ url, key }: Target): { url: string; key: string } {
  const found = { url: url ?? "http://127.0.0.1:8637", key: key ?? process.env["CHORUS_API_KEY"] }
  if (found.key !== undefined) return { url: found.url, key: found.key }
  throw new ChorusError("key_missing", "The companion needs an agent's key.", {
    next: "Make one with `chorus agent add NAME --json` and give it as --key or CHORUS_KEY.",
  })
}
