import { randomUUID } from "node:crypto"
import { git } from "@chorus/changes"
import { ChorusError, landings, TEAM_LEAD } from "@chorus/contracts"
import { type Command, Option } from "commander"
import { harmless, paint, printJson } from "../output.ts"
import { landMember, worktreeOf } from "./landing.ts"
import { type InTeam, inTeam, teamAs } from "./place.ts"
import { quoted } from "./program.ts"

interface Landing extends InTeam {
  readonly how: landings.LandingHow
  readonly into?: string
  readonly preview?: boolean
  readonly commit?: boolean
}

export function landCommand(): Command {
  return inTeam("land", "Bring what a member has committed on its own branch into the one it was begun from.")
    .argument("<name>", "the member, also one that has left")
    .addOption(
      new Option("--how <way>", "by a merge commit, as one commit, or commit by commit on top")
        .choices(landings.LandingHow.options)
        .default("merge"),
    )
    .option("--into <branch>", "another branch than the one that was checked out when the member began")
    .option("--commit", "first commit what lies in its checkout; a sandbox may keep a member from that")
    .option("--preview", "only tell whether it would go in; nothing is touched")
    .action(async (name: string, { how, into, preview, commit, ...place }: Landing) => {
      if (preview === true && commit === true)
        throw new ChorusError("say_which", "A preview touches nothing, so it commits nothing.", {
          next: "Leave out --commit or --preview.",
        })
      const team = await teamAs(place, TEAM_LEAD)
      const outcome = await landMember(team, name, { mark: randomUUID(), how, into, preview, commit })
      const { state, branch, reason } = outcome
      const { repository, branch: workBranch } = worktreeOf(team, name)
      if (state !== "landed" && state !== "clean") process.exitCode = 1
      if (place.json) return printJson({ member: name, ...outcome, repository, workBranch })
      const isNew = state === "landed" && outcome.commit !== outcome.onto
      const where = isNew ? ` as ${outcome.commit?.slice(0, 12)} in ${harmless(branch)}` : ""
      const word = outcome.commit === outcome.onto ? "nothing to land" : state
      process.stdout.write(`${paint(process.exitCode === 1 ? "red" : "green", word)}${where}\n`)
      if (reason !== undefined) process.stdout.write(`${harmless(reason)}\n`)
      if (isNew) process.stdout.write(await whereItStands(repository, branch, workBranch, outcome.commit ?? ""))
    })
}

/** A merge is made here and nowhere else: others have it once it is pushed, where there is somewhere to push it to. */
async function whereItStands(repository: string, branch: string, from: string, commit: string): Promise<string> {
  const remote = await git(repository, ["config", `branch.${branch}.remote`]).catch(() => "")
  const words = remote === "" ? `show --stat ${commit.slice(0, 12)}` : `push ${remote} ${branch}`
  const where = `${from} is in ${branch} of ${repository}${remote === "" ? "" : ", not pushed yet"}`
  const folder = /^[\w./-]+$/.test(repository) ? repository : quoted(repository)
  return `${harmless(where)}\n${paint("dim", "next ")} ${harmless(`git -C ${folder} ${words}`)}\n`
}
