import { ChorusError, TEAM_LEAD } from "@chorus/contracts"
import { createTeam, forgetTeam, type NewTeam } from "@chorus/teams"
import { Command } from "commander"
import { paint, printJson } from "../output.ts"
import { type InTeam, inTeam, teamAs } from "./place.ts"
import { checkoutsOf, clearLeft } from "./worktree.ts"

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
      const { deleted, left } =
        meant !== undefined && forgetTeam(meant)
          ? { deleted: meant, left: [] }
          : await deleteTeam({ ...options, team: meant }, options.force)
      if (options.json) return printJson({ deleted, left })
      process.stdout.write(`${paint("green", "deleted")} ${deleted}\n`)
      for (const { member, path, branch } of left)
        process.stdout.write(`The checkout of ${member} is still there: ${path}, on the branch ${branch}.\n`)
    })
}

/** Says which checkouts nobody else will name any more. */
async function deleteTeam(which: { team?: string | undefined }, force = false) {
  const team = await teamAs(which.team === undefined ? {} : { team: which.team }, TEAM_LEAD)
  const [stays] = (await clearLeft(team)).filter((cleared) => cleared.stays)
  if (stays !== undefined && !force)
    throw new ChorusError("checkout_stays", `${stays.member} has left, and ${stays.says}`, {
      status: 409,
      next: `Land it with \`chorus team land "${stays.member}" --commit\`, or pass --force; it stays where it is then.`,
    })
  const left = checkoutsOf(team).map(({ name, worktree }) => ({ member: name, ...worktree }))
  await team.delete({ force })
  return { deleted: team.name, left }
}
