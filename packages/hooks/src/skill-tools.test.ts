import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { agentPermissions } from "@chorus/core"
import { encode } from "gpt-tokenizer"
import { expect, it } from "vitest"
import { leanTools } from "../../server/src/doors/lean-profile.ts"
import { closingRules } from "../../server/src/operations/hooks/brief-text.ts"

const PLUGIN = join(import.meta.dirname, "../../../plugin")
const developer = leanTools(agentPermissions(["developer"], []))
const lead = leanTools(agentPermissions(["lead"], []))
const admin = leanTools(agentPermissions(["admin"], []))

const texts = ["skills/chorus", "skills/chorus/references", "commands", "agents", "bin"].flatMap((folder) =>
  readdirSync(join(PLUGIN, folder))
    .filter((name) => /\.(md|json)$/.test(name))
    .map((name) => `${folder}/${name}`),
)

/**
 * What `chorus connect` makes is a lead, but who builds or reviews, or goes into plan mode, may be a developer; only who
 * decides has more.
 */
it.each(texts)("%s names no tool that its reader does not have", (path) => {
  const named = readFileSync(join(PLUGIN, path), "utf8").match(/\bchorus_[a-z_]+/g) ?? []
  const builds = /^(agents|bin)\/|\/(developer|reviewer|session)\.md$/.test(path)
  const has = path.endsWith("/admin.md") ? admin : builds ? developer : lead
  expect(named.filter((name) => !has.has(name))).toEqual([])
})

it.each(["agents/task-reviewer.md", "agents/code-reviewer.md", "skills/chorus/references/reviewer.md"])(
  "%s sends whoever reviews work to its change, and what is about a line to the line",
  (path) => {
    const text = readFileSync(join(PLUGIN, path), "utf8")
    for (const tool of ["chorus_get_change", "chorus_comment_on_change"]) expect(text).toContain(tool)
  },
)

it("says of handing in what the brief says, and of teams what each era of the program has", () => {
  const team = readFileSync(join(PLUGIN, "skills/chorus/references/team.md"), "utf8")
  for (const word of ['"DONE"', '"UNFINISHED"'])
    for (const text of [team, closingRules([])]) expect(text).toContain(word)
  expect(team).toMatch(/teammate .* hands it in by a turn that ends with such a message[^]*chorus:task:<id>/)
  expect(team).toMatch(/Where `TeamCreate` is among your tools/)
})

it("begins with no more than 400 tokens, and names every other part with when to read it", () => {
  const entry = readFileSync(join(PLUGIN, "skills/chorus/SKILL.md"), "utf8")
  expect(encode(entry).length).toBeLessThanOrEqual(400)
  for (const name of readdirSync(join(PLUGIN, "skills/chorus/references")))
    expect(entry).toMatch(new RegExp(`^\\| [^|]+ \\| references/${name} \\|$`, "m"))
})
