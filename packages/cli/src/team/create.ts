import { TEAM_LEAD } from "@chorus/contracts"
import { createTeam, forgetTeam, type NewTeam } from "@chorus/teams"
import { Command } from "commander"
import { paint, printJson } from "../output.ts"
import { type InTeam, inTeam, teamAs } from "./place.ts"

export function createCommand(): Command {
  return new Command("create")
    .description("Make a team that Chorus leads.")
    .argument("<name>")
    .option("--description <text>")
    .option("--model <model>", "what the roster says that its lead thinks with")
    .option("--worktrees", "each member works in a checkout of its own, on a branch of its own")
    .option("--json", "answer in JSON")
    .action(async (name: string, { json, ...about }: Omit<NewTeam, "name"> & { json?: boolean }) => {
      const team = await createTeam({ name, ...about })
      if (json) return printJson(await team.config())
      process.stdout.write(`${paint("green", "made")} ${name} ${paint("dim", team.paths.directory)}\n`)
    })
}

export function deleteCommand(): Command {
  return inTeam("delete", "Remove a team, its messages and its tasks.")
    .argument("[name]")
    .option("--force", "also with members in it, or when its lead is gone")
    .action(async (name: string | undefined, options: InTeam & { force?: boolean }) => {
      const meant = name ?? options.team
      const deleted =
        meant !== undefined && forgetTeam(meant) ? meant : await deleteTeam({ ...options, team: meant }, options.force)
      if (options.json) return printJson({ deleted })
      process.stdout.write(`${paint("green", "deleted")} ${deleted}\n`)
    })
}

async function deleteTeam(which: { team?: string | undefined }, force = false): Promise<string> {
  const team = await teamAs(which.team === undefined ? {} : { team: which.team }, TEAM_LEAD)
  await team.delete({ force })
  return team.name
}
