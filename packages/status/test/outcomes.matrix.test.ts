import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { drive, newestVersion, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { dialectOf, HAPPENINGS } from "./happenings.ts"
import { outcomeOf, tableOf, VINTAGES } from "./outcome-table.ts"
import { record } from "./recording.ts"
import { PACKAGE, REAL_AGENT, workbench } from "./workbench.ts"

/** Nothing more is to come once a state has lasted this long. */
const SETTLED_MS = 2000
/** With CHORUS_RECORD=1 what the programs say becomes what the daily test reads. */
const FIXTURES = fileURLToPath(new URL("../fixtures/outcomes/", import.meta.url))

/** What somebody gets who installs today; newer than the table, it has to do what the newest in the table does. */
const AGENTS = ["claude", "codex", "opencode"] as const
const TODAY = await Promise.all(AGENTS.map(async (agent) => [agent, await newestVersion(PACKAGE[agent])] as const))
const inTable = (agent: string, version: string) => VINTAGES.some((one) => one[0] === agent && one[1] === version)
const ALL = [...VINTAGES, ...TODAY.filter(([agent, version]) => !inTable(agent, version))]

it.each(ALL)("%s %s comes out of whatever happens as the table says", REAL_AGENT, async (agent, version) => {
  const bench = await workbench(agent, {
    version,
    home: { opencodePermission: { bash: { "*": "allow", "touch *": "ask", "forbidden *": "deny" } } },
  })
  const recording =
    process.env["CHORUS_RECORD"] === undefined
      ? undefined
      : await record(`${FIXTURES}${agent}-${version}.jsonl`, bench.home.path, bench.service.listener.socketPath)
  if (recording !== undefined) bench.env["CHORUS_SOCK"] = recording.socketPath
  writeFileSync(join(bench.home.project, "kept.txt"), "kept\n")
  const say = dialectOf(agent, version)
  say.furnish(bench.home)
  const terminal = await bench.open(...say.faulty, ...say.args)
  await terminal.waitForText(say.ready)
  await bench.waitForStates(/idle$/)
  const newest = VINTAGES.findLast(([of]) => of === agent)?.[1] ?? version
  const table = tableOf("outcomes.md", agent, inTable(agent, version) ? version : newest)
  const found = new Map<string, string>()
  for (const { name, happen } of HAPPENINGS) {
    if (table.get(name) === "–") continue
    recording?.mark(name)
    bench.model.script(drive)
    bench.mark()
    const before = bench.seen().length
    await happen(bench, terminal, say)
    let [changed, rows] = [Date.now(), before]
    const isSettled = () => {
      if (bench.seen().length !== rows) [changed, rows] = [Date.now(), bench.seen().length]
      const isActive = ["running", "needsInput"].includes(bench.row()?.state ?? "")
      return rows > before && !isActive && Date.now() - changed > SETTLED_MS
    }
    await waitFor(isSettled, 60_000, () => `an end of "${name}": ${bench.states()}`).catch(() => undefined)
    found.set(name, outcomeOf(bench.row() ?? { state: "unknown", exitCode: null, ended: false }))
    // What was not sent is put back into the line where one writes.
    await terminal.key("C-u").catch(() => undefined)
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries([...table].filter(([, outcome]) => outcome !== "–")))
})
