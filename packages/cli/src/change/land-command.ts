import { randomUUID } from "node:crypto"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { forgetBeginning, landWork, previewLanding, repositoryOf } from "@chorus/changes"
import { ChorusError, type CriterionId, landings, type ProposalId, type TaskId } from "@chorus/contracts"
import {
  discardWork,
  type LandingReport,
  noteLanded,
  readPolicy,
  refusal,
  RUN_MARK,
  tidyLanded,
  toldOf,
} from "@chorus/runs"
import { Command, Option } from "commander"
import { harmless, paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"
import { assertWorkOf } from "./work-place.ts"

interface Way extends Target {
  readonly how: landings.LandingHow
  readonly into?: string
}

interface Landing extends Way {
  readonly preview?: boolean
  readonly verify?: boolean
  readonly folder: string
}

export function landCommand(): Command {
  return withWay(new Command("land").description("Bring a task's verified work into its branch, in this repository."))
    .argument("<task>", "the task's id")
    .option("--preview", "only tell whether it would go in; nothing is touched")
    .option("--verify", "verify it first; what nobody has judged passes")
    .option("--folder <dir>", "the checkout", ".")
    .action(async (task: string, options: Landing) => {
      const repository = await repositoryOf(options.folder)
      const act = options.preview === true ? "preview" : "land"
      const row = await carriedOut({ ...options, folder: repository }, task, act, async (work) => {
        const at = { repository, folder: repository, work }
        if (act === "preview") return toldOf(await previewLanding(at))
        const report = toldOf(await landWork({ ...at, scratch: join(tmpdir(), `chorus-landing-${randomUUID()}`) }))
        if (report.state !== "landed") return report
        const directory = join(options.data, "runner")
        noteLanded(directory, work)
        await forgetBeginning(repository, work.taskUuid)
        const place = { directory, policy: readPolicy(options.data) }
        const stays = work.runUuid === null ? undefined : await tidyLanded(work.runUuid, place)
        const reason = [report.reason ?? "", stays ?? ""].filter(Boolean).join(" ")
        return { ...report, ...(reason === "" ? {} : { reason }) }
      })
      print(row, options)
    })
}

export function trainCommand(): Command {
  return withWay(
    new Command("train").description(
      "Bring all verified work of a proposal into its branch, in the order of its graph, on the machines that have it.",
    ),
  )
    .argument("<proposal>", "the proposal's id")
    .action(async (proposal: string, options: Way) => {
      assertPerson()
      const { how, into: branch } = options
      const answer = await inWorkplace(options, ({ call }) =>
        call("chorus_land_proposal", { proposalUuid: proposal as ProposalId, how, branch }),
      )
      if (options.json) return printJson(answer)
      printTable(
        ["landing", "task", "waits"],
        answer.landings.map(({ uuid, taskUuid, reason }) => [uuid.slice(0, 8), taskUuid, reason ?? ""]),
      )
      for (const { title, why } of answer.left)
        process.stdout.write(`${paint("yellow", "left")} ${harmless(`${title}: ${why}`)}\n`)
    })
}

export function discardCommand(): Command {
  return withTarget(
    new Command("discard").description(
      "Close a task whose work nobody wants, and take away the worktree and branch its run left here.",
    ),
  )
    .argument("<task>", "the task's id")
    .action(async (task: string, options: Target) => {
      const row = await carriedOut({ ...options, how: "squash" }, task, "discard", async ({ runUuid }) => {
        const directory = join(options.data, "runner")
        if (runUuid !== null) await discardWork(runUuid, { directory, policy: readPolicy(options.data) })
        return { state: "discarded" }
      })
      print(row, options)
    })
}

function withWay(command: Command): Command {
  return withTarget(command)
    .addOption(
      new Option("--how <way>", "as one commit, by a merge commit, or commit by commit on top")
        .choices(landings.LandingHow.options)
        .default("squash"),
    )
    .option("--into <branch>", "the branch; else the one the work was compared with, or the one checked out")
}

/**
 * Takes the landing, carries it out here, and tells the server what became of it; a refusal is told there and thrown
 * here.
 */
async function carriedOut(
  options: Way & Partial<Pick<Landing, "verify" | "folder">>,
  task: string,
  act: landings.LandingAct,
  work: (leased: landings.LeasedLanding) => Promise<LandingReport>,
): Promise<landings.LandingRow> {
  assertPerson()
  const taskUuid = task as TaskId
  const { how, into: branch, verify = false, folder } = options
  return inWorkplace(options, async ({ call }) => {
    if (folder !== undefined) await assertWorkOf(call, taskUuid, folder)
    const items = verify ? (await call("chorus_get_task", { taskUuid })).acceptanceCriteriaItems : []
    const passing = items.map(({ uuid }) => uuid as CriterionId)
    const { landing, leased, warnings } = await call("chorus_land_change", {
      taskUuid,
      act,
      how,
      branch,
      verify,
      passing,
      here: hostname(),
    })
    for (const warning of warnings) process.stderr.write(`${paint("yellow", "note")} ${harmless(warning)}\n`)
    if (leased === null) return landing
    const held = { landingUuid: leased.uuid, lease: leased.lease }
    try {
      return await call("chorus_report_landing", { ...held, ...(await work(leased)) })
    } catch (error) {
      await call("chorus_report_landing", { ...held, ...refusal(error) }).catch(() => undefined)
      throw error
    }
  })
}

function print(row: landings.LandingRow, { json }: Target): void {
  if (json) return printJson(row)
  const { state, branch, commit, reason, files } = row
  const good = state === "landed" || state === "clean" || state === "discarded"
  const where = state === "landed" ? ` as ${commit?.slice(0, 12)} in ${harmless(branch ?? "")}` : ""
  process.stdout.write(`${paint(good ? "green" : "red", state)}${where}\n`)
  for (const file of files) process.stdout.write(`  ${harmless(file)}\n`)
  if (reason !== null) process.stdout.write(`${harmless(reason)}\n`)
  if (!good) process.exitCode = 1
}

/** Whoever builds does not decide what becomes of it. */
export function assertPerson(): void {
  if (process.env[RUN_MARK] !== undefined)
    throw new ChorusError("landing_not_yours", "An agent does not decide where its work goes.", {
      next: "Ask the person who verifies it.",
    })
}
