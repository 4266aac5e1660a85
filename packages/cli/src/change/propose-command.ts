import { hostname } from "node:os"
import { proposeWork, type PullRequest, repositoryOf } from "@chorus/changes"
import { ChorusError, type TaskId, type tasks } from "@chorus/contracts"
import { Command } from "commander"
import { harmless, paint, printJson, type Target, withTarget } from "../output.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { assertPerson } from "./land-command.ts"
import { assertWorkOf } from "./work-place.ts"

interface Proposing extends Target {
  readonly into?: string
  readonly folder: string
}

export function proposeCommand(): Command {
  const does =
    "Push what was reviewed and open a pull request for it, by gh or glab; once there is one, tell how it stands."
  return withTarget(new Command("propose").description(does))
    .argument("<task>", "the task's id")
    .option("--into <branch>", "the branch it is for; else the one the work was compared with, or the one checked out")
    .option("--folder <dir>", "the checkout", ".")
    .action(async (task: string, options: Proposing) => {
      assertPerson()
      const proposed = await inWorkplace(options, (workplace) => propose(workplace, task as TaskId, options))
      if (options.json) return printJson(proposed)
      const tone = proposed.checks === "failed" || proposed.state === "closed" ? "red" : "green"
      process.stdout.write(`${paint(tone, standingOf(proposed))} ${harmless(proposed.url)}\n`)
    })
}

async function propose({ call }: Workplace, given: TaskId, { folder, into }: Proposing): Promise<PullRequest> {
  const repository = await repositoryOf(folder)
  await assertWorkOf(call, given, repository)
  const task = await call("chorus_get_task", { taskUuid: given })
  const taskUuid = task.uuid as TaskId
  const { versions } = await call("chorus_get_change", { taskUuid, room: 0 })
  const version = versions.findLast(({ tree }) => tree !== null)
  if (version === undefined) throw nothingShown(task)
  const { runs } = await call("chorus_list_runs", { taskUuid })
  const work = {
    uuid: task.uuid,
    how: "merge" as const,
    branch: into ?? null,
    shortId: task.shortId ?? task.uuid,
    title: task.title,
    criteria: task.acceptanceCriteriaItems.map(({ description }) => description),
    tree: version.tree,
    headCommit: version.headCommit,
    baseRef: version.baseRef,
    baseCommit: version.baseCommit,
    workBranch: version.branch,
    runUuid: runs.find((run) => run.work === "build")?.uuid ?? null,
  }
  const proposed = await proposeWork({ repository, folder: repository, work, environment: process.env })
  const title = `Pull request: ${standingOf(proposed)}`
  const known = task.references.find(({ url }) => url === proposed.url)
  await (known === undefined
    ? call("chorus_add_reference", {
        targetType: "task",
        targetUuid: taskUuid,
        type: "issue_pr",
        url: proposed.url,
        title,
      })
    : call("chorus_update_reference", { uuid: known.uuid, title }))
  const seen = [{ taskUuid, pullRequest: proposed }]
  await call("chorus_report_pull_requests", { machine: hostname(), seen })
  return proposed
}

function standingOf({ state, checks }: PullRequest): string {
  return checks === null ? state : `${state}, checks ${checks}`
}

function nothingShown({ title }: tasks.TaskDetail): ChorusError {
  return new ChorusError("no_change", `Nothing shows what "${title}" did to a repository.`, {
    status: 409,
    next: "Send it from the checkout with `chorus change push`.",
  })
}
