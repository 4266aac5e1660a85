import { ChorusError, type imports, type ProjectId } from "@chorus/contracts"
import { fetchTracker, type ForeignList, forgeOf, inOrder, readTracker } from "@chorus/trackers"
import { Command } from "commander"
import { harmless, paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { everyPage } from "../pages.ts"
import { progress } from "../progress.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"

const AT_ONCE = 100
const SHOWN = 20

interface Options extends Target {
  into: string
  origin?: string
  api?: string
  apply?: boolean
}

export function importCommand(): Command {
  const described = new Command("import").description(
    "Bring work of another tracker into a project; shows what would happen unless --apply is given.",
  )
  return withTarget(described)
    .argument("<from>", "a file or folder of the tracker, or github:OWNER/NAME, gitlab:GROUP/NAME")
    .requiredOption("--into <project>", "the project, by key, name or uuid")
    .option("--origin <name>", "what to call the place they come from")
    .option("--api <url>", "the API of a GitHub or GitLab server of your own")
    .option("--apply", "do it")
    .action(async (from: string, options: Options) => {
      const list = await listFrom(from, options)
      const results = await inWorkplace(options, (workplace) => bring(workplace, list, options))
      if (options.json) return printJson({ origin: list.origin, results, warnings: list.warnings })
      printReport(list, results, options.apply === true)
    })
}

/** Where the token of each forge is found. */
export const TOKENS = { github: "GITHUB_TOKEN", gitlab: "GITLAB_TOKEN" } as const

async function listFrom(from: string, { origin, api }: Options): Promise<ForeignList> {
  const forge = forgeOf(from)?.forge
  const token = forge === undefined ? undefined : process.env[TOKENS[forge]]
  const list = forge === undefined ? readTracker(from) : await fetchTracker(from, { api, token })
  return origin === undefined ? list : { ...list, origin }
}

async function bring(
  { call }: Workplace,
  { origin, items }: ForeignList,
  { into, apply, json }: Options,
): Promise<imports.ImportResult[]> {
  const projectUuid = await projectNamed({ call }, into)
  const ordered = inOrder(items)
  const shown = progress(apply === true ? "bringing" : "comparing", json)
  const results: imports.ImportResult[] = []
  for (let from = 0; from < ordered.length; from += AT_ONCE) {
    const part = ordered.slice(from, from + AT_ONCE)
    const answer = await call("chorus_import_items", { projectUuid, origin, items: part, preview: apply !== true })
    results.push(...answer.results)
    shown.at(results.length / ordered.length)
  }
  shown.done(`${ordered.length} ${ordered.length === 1 ? "item" : "items"} of ${origin}`)
  return results
}

export async function projectNamed({ call }: Pick<Workplace, "call">, name: string): Promise<ProjectId> {
  const projects = await everyPage(async (page) => {
    const answer = await call("chorus_list_projects", page)
    return { rows: answer.projects, total: answer.total }
  })
  const wanted = name.toLowerCase()
  const found = projects.filter((project) =>
    [project.uuid, project.key, project.name].some((word) => word.toLowerCase() === wanted),
  )
  const [project] = found
  if (project !== undefined && found.length === 1) return project.uuid as ProjectId
  throw new ChorusError(
    "not_found",
    found.length === 0 ? `There is no project ${name}.` : `${found.length} projects are called ${name}.`,
    { status: 404, next: "`chorus project list` shows them; name one by its key or uuid." },
  )
}

const WORDS: Readonly<Record<imports.ImportResult["outcome"], readonly [would: string, did: string]>> = {
  created: ["new", "added"],
  updated: ["would change", "changed"],
  unchanged: ["unchanged", "unchanged"],
  kept: ["stays as here", "stays as here"],
  gone: ["deleted here", "deleted here"],
}

function printReport(list: ForeignList, results: readonly imports.ImportResult[], applied: boolean): void {
  const word = ({ outcome }: imports.ImportResult) => WORDS[outcome][applied ? 1 : 0]
  const told = results.filter(({ outcome, newComments }) => outcome !== "unchanged" || newComments > 0)
  if (told.length > 0)
    printTable(
      ["", "there", "here", "title"],
      told.slice(0, SHOWN).map((result) => [word(result), result.key, result.shortId ?? "", harmless(result.title)]),
    )
  if (told.length > SHOWN) process.stdout.write(paint("dim", `… and ${told.length - SHOWN} more (--json has all)\n`))
  const counts = [...Map.groupBy(results, word)].map(([outcome, rows]) => `${rows.length} ${outcome}`)
  const comments = results.reduce((sum, { newComments }) => sum + newComments, 0)
  process.stdout.write(`${[...counts, `${comments} new ${comments === 1 ? "comment" : "comments"}`].join(", ")}\n`)
  const warnings = [
    ...list.warnings,
    ...results.flatMap((result) => result.warnings.map((warning) => `${result.key} ${warning}`)),
  ]
  for (const warning of warnings.slice(0, SHOWN))
    process.stdout.write(`${paint("yellow", "note")} ${harmless(warning)}\n`)
  if (warnings.length > SHOWN) process.stdout.write(paint("dim", `… and ${warnings.length - SHOWN} more notes\n`))
  if (!applied) process.stdout.write("Nothing was changed. Run it again with --apply to bring them.\n")
}
