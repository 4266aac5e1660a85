import { join } from "node:path"
import { cleanUp, readPolicy } from "@chorus/runs"
import { Command } from "commander"
import { printJson, printTable, type Target, withData } from "../output.ts"
import { typedOptions } from "../typed-options.ts"
import { wholeNumber } from "../whole-number.ts"

interface Options extends Target {
  readonly days: number
  readonly dryRun?: boolean
}

export function cleanCommand(): Command {
  return withData(
    new Command("clean").description(
      "Remove what ended runs left here: worktrees that hold nothing new, and branches that have landed or hold no work.",
    ),
  )
    .option("--days <number>", "only what ended longer ago", wholeNumber("Give a number of days.", 0), 0)
    .option("--dry-run", "only show what would go, and how much room it takes")
    .action(async (_options: object, command: Command) => {
      const { data, days, dryRun = false, json } = typedOptions<Options>(command)
      const found = await cleanUp({ directory: join(data, "runner"), policy: readPolicy(data), days, dryRun })
      if (json) return printJson(found)
      const freed = found.filter(({ goes }) => goes.includes("worktree")).reduce((sum, one) => sum + one.megabytes, 0)
      printTable(
        ["run", "branch", "MB", dryRun ? "would go" : "gone", "stays because"],
        found.map(({ runUuid, branch, megabytes, goes, stays }) => [
          runUuid.slice(0, 8),
          branch,
          String(megabytes),
          goes.join(", "),
          stays ?? "",
        ]),
      )
      process.stdout.write(`${dryRun ? "would free" : "freed"} ${freed} MB\n`)
    })
}
