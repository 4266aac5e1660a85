import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "@chorus/disk"
import { MARKETPLACE, pluginFor } from "@chorus/hooks"
import { Command, Option } from "commander"
import { findClaude, optionsWay, setOptions } from "../connect/claude-program.ts"
import { claudeFolder, setEnvironment } from "../connect/claude-settings.ts"
import { lastingProgram } from "../connect/lasting-copy.ts"
import { paint, printJson, type Target, withData } from "../output.ts"
import { typedOptions } from "../typed-options.ts"

interface Switched extends Target {
  readonly claude: string
}

/** `chorus companion enable`: the plugin may then start the companion with a session of Claude Code. */
export function enableCommand(): Command {
  return withClaude(
    "enable",
    "Let the Claude Code plugin start the companion with a session, and let it go with the last one.",
  ).action(async (_options: object, command: Command) => {
    const options = typedOptions<Switched>(command)
    const program = writeStarter(options.data)
    await switchPlugin(options.claude, program)
    if (options.json) return printJson({ enabled: true, program })
    process.stdout.write(`${paint("green", "enabled")} the next session of Claude Code starts ${program}\n`)
  })
}

export function disableCommand(): Command {
  return withClaude("disable", "Undo that; a companion that runs ends with its last session.").action(
    async (_options: object, command: Command) => {
      const options = typedOptions<Switched>(command)
      const program = starterIn(options.data)
      const known = existsSync(program)
      await switchPlugin(options.claude, "")
      rmSync(program, { force: true })
      if (options.json) return printJson({ enabled: false })
      process.stdout.write(known ? `${paint("green", "disabled")}\n` : "it was not enabled\n")
    },
  )
}

function withClaude(name: string, does: string): Command {
  return withData(new Command(name).description(does)).addOption(
    new Option("--claude <program>", "Claude Code, if it is not `claude` on the PATH").default("claude"),
  )
}

/** A plugin knows nothing of where this command lies, nor which Node runs it; so it is given one program to start. */
function writeStarter(data: string): string {
  const path = starterIn(data)
  const [node, main] = [process.execPath, lastingProgram(data)]
  const text = `#!/bin/sh\nexec ${quoted(node)} ${quoted(main)} companion --data ${quoted(data)} "$@"\n`
  replaceFile(path, text, { mode: 0o700 })
  return path
}

function starterIn(data: string): string {
  return join(data, "companion", "start")
}

async function switchPlugin(program: string, starter: string): Promise<void> {
  const claude = await findClaude(program)
  const way = await optionsWay(claude)
  const plugin = pluginFor(claude.version, way !== "none")
  if (plugin === "chorus" && way !== "none")
    await setOptions(claude, way, `${plugin}@${MARKETPLACE}`, { companion_program: starter })
  else await setEnvironment(claudeFolder(), { CHORUS_COMPANION_PROGRAM: starter === "" ? undefined : starter })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
