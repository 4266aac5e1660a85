import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claudeConfigDir, runMember, serveTeamTools } from "@chorus/teams"
import { Command, Option } from "commander"
import { spawnForLead } from "./life.ts"
import { type InTeam, inTeam, teamOf } from "./place.ts"

export function mcpCommand(): Command {
  return inTeam("mcp", "Serve the team's tools to an agent, on the standard streams.")
    .requiredOption("--as <name>", "whose tools they are")
    .action(async (options: InTeam & { as: string }) => {
      const name = options.team ?? (await teamOf(options)).name
      await serveTeamTools({ team: name, name: options.as, spawn: spawnForLead })
    })
}

/** The flags are those a lead gives; they are not ours to declare. */
export function memberCommand(): Command {
  return new Command("member")
    .description("Be a member, as a program of its own (what spawn starts).")
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .passThroughOptions()
    .argument("[flags...]")
    .action(async (flags: string[]) => runMember(flags))
}

/** Claude Code starts its pane members as one program path; this writes such a program and says where it is. */
export function teammateCommand(): Command {
  return new Command("teammate")
    .description("Write a program that Claude Code can start as its members (CLAUDE_CODE_TEAMMATE_COMMAND).")
    .addOption(new Option("--program <agent>").choices(["codex", "opencode", "claude", "command"]).default("codex"))
    .argument("[command...]", "the program's path, or a command of your own")
    .action((command: string[], options: { program: string }) => {
      const folder = join(claudeConfigDir(), "chorus", "bin")
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, `teammate-${options.program}`)
      const [, main = ""] = process.argv
      const settings = [
        `CHORUS_TEAM_PROGRAM=${quoted(options.program)}`,
        ...(command.length === 0 ? [] : [`CHORUS_TEAM_COMMAND=${quoted(JSON.stringify(command))}`]),
      ]
      writeFileSync(
        path,
        `#!/bin/sh\n${settings.join("\n")}\nexport CHORUS_TEAM_PROGRAM CHORUS_TEAM_COMMAND\nexec ${quoted(process.execPath)} ${quoted(main)} team member "$@"\n`,
      )
      chmodSync(path, 0o700)
      process.stdout.write(`${path}\n`)
    })
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
