import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { en as spoken, type TextKey } from "./en.ts"
import { filled } from "./language.ts"
import { written } from "./written.ts"
import { writtenZh, zh as spokenZh } from "./zh.ts"

const en = { ...spoken, ...written }
const zh: Readonly<Record<keyof typeof en, string>> = { ...spokenZh, ...writtenZh }
const keys = Object.keys(en) as (keyof typeof en)[]
/** Stands between a name and what is said of it. */
const JOINS: TextKey = "tasks.colon"
const FORMS = /\{\w+\|[^{}]*\}/g
const here = import.meta.dirname
const areas = readdirSync(here).flatMap((file) => /^(.+)\.en\.ts$/.exec(file)?.[1] ?? [])
const source = readdirSync(join(here, ".."), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !/\.(en|zh)\.ts$/.test(file))
  .map((file) => readFileSync(join(here, "..", file), "utf8"))
  .join("\n")

describe("the dictionaries", () => {
  it("have the same keys in the same number, and none twice among the areas", async () => {
    const counted = await Promise.all(
      areas.map(async (area) =>
        Object.values((await import(`./${area}.en.ts`)) as Record<string, object>).flatMap((texts) =>
          Object.keys(texts),
        ),
      ),
    )
    expect(counted.flat().toSorted()).toEqual(keys.toSorted())
    expect(Object.keys(zh).toSorted()).toEqual(keys.toSorted())
  })

  it.each([
    ["English", en],
    ["Chinese", zh],
  ])("say something under every key in %s, without blanks around it", (_, dictionary) => {
    expect(
      keys.filter(
        (key) => dictionary[key].trim() === "" || (key !== JOINS && dictionary[key] !== dictionary[key].trim()),
      ),
    ).toEqual([])
  })

  it("leave no English in Chinese but names, commands and signs", () => {
    const names =
      /\b(Chorus|Claude( Code)?|English|streamable|Codex|OpenCode|MCP|Webhook|HTTP|https?|JSON|URL|CSV|API|chorus_\w+|tmux|npm test|npm run dev|PORT|Slack|Mattermost|Discord|ntfy|my-topic|Telegram|README|token|tokens|sub-?agent|Markdown|Mermaid|ID|PRD|ADR|Enter|Esc|Ctrl|Cmd|Shift|Tab|Alt)\b/gi
    const wordy = keys.filter((key) =>
      /[A-Za-z]{4,}/.test(
        zh[key]
          .replace(/\{[^}]*\}|`[^`]*`/g, "")
          .replaceAll(names, "")
          .replace(/[a-z_]+\.[a-z_*]+/g, ""),
      ),
    )
    // Whoever cannot read the page finds the way out of it.
    expect(wordy).toEqual(["palette.language"])
  })

  it("write Chinese with Chinese marks", () => {
    expect(keys.filter((key) => /\p{Script=Han}[,;?!:]|\p{Script=Han}\.(?!\.)/u.test(zh[key]))).toEqual([])
  })

  it("write a number beside every form that depends on it, or the form says it in words", () => {
    const odd = keys.filter((key) =>
      [...en[key].matchAll(/\{(\w+)\|/g)].some(([, name]) => !en[key].includes(`{${name}}`)),
    )
    expect(odd).toEqual([])
  })

  it.each(keys.filter((key) => en[key].search(FORMS) >= 0))("%s reads well with one and with many", (key) => {
    const names = ["count", "number", "done", "total", "of", "value", "passed", "failed"]
    const said = (count: number) => filled(en[key], Object.fromEntries(names.map((name) => [name, count])))
    expect(said(1)).not.toBe(said(2).replaceAll("2", "1"))
    expect([said(0), said(1), said(2)].join()).not.toMatch(/[{}|]/)
  })

  it("count many only where there is never one", () => {
    const many = keys.filter((key) => /\{(count|total|value|amount)\} ([a-z]+ )?([a-z]+[^s]s|criteria)\b/.test(en[key]))
    // Said from twice on, chosen from a list, or a form of its own beside that for one.
    const never = ["activity.times", "decide.again", "decide.againWordless", "insights.days", "settings.keys.days"]
    expect(many.filter((key) => !key.startsWith("reason.amount.")).toSorted()).toEqual(never)
  })

  it("need no forms in Chinese", () => {
    expect(keys.filter((key) => zh[key].search(FORMS) >= 0)).toEqual([])
  })

  it("call one state by one name, in either language", () => {
    for (const dictionary of [en, zh]) {
      expect(dictionary["board.open"]).toBe(dictionary["tasks.status.open"])
      expect(dictionary["board.inProgress"]).toBe(dictionary["tasks.status.in_progress"])
      expect(dictionary["board.toVerify"]).toBe(dictionary["tasks.status.to_verify"])
      expect(dictionary["board.done"]).toBe(dictionary["tasks.status.done"])
    }
  })

  it("hold no text that nothing says", () => {
    const made = [...source.matchAll(/`([a-zA-Z]+\.[^`\s]*\$\{[^`]*)`/g)].map(([, template = ""]) => pattern(template))
    const said = Object.keys(spoken)
    expect(said.filter((key) => !source.includes(`"${key}"`) && !made.some((each) => each.test(key)))).toEqual([])
  })
})

/** Any key that the template can become. */
function pattern(template: string): RegExp {
  return new RegExp(
    `^${template
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replace(/[.*+?^()|[\]\\]/g, "\\$&"))
      .join("[\\w.-]+")}$`,
  )
}
