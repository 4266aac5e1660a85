import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { CHORUS_MAIN, runAgent, type ScratchHome, scratchHome } from "@chorus/testing"
import { market, plugin, skill, writeTree } from "./workbench.ts"

type Answer = Record<string, unknown>

/** In this order; `@` at the front of a word stands for the folder of the marketplace. */
const COMMANDS = [
  "marketplace add @",
  "marketplace add @/nothing",
  "marketplace list",
  "marketplace update nope",
  "marketplace update mk",
  "install a@mk",
  "install a@mk",
  "install zz@mk",
  "install a@nomk",
  "install bad@mk",
  "install gone@mk",
  "install b@mk",
  "list",
  "list --available",
  "install a@mk --scope project",
  "install a@mk --scope local",
  "list",
  "uninstall a@mk --scope local",
  "uninstall a@mk --scope project",
  "configure a@mk",
  "disable a",
  "disable b",
  "disable b",
  "enable b",
  "enable b",
  "enable zz",
  "disable zz@mk",
  "update a",
  "update zz",
  "update b --scope local",
  "disable --all",
  "disable --all",
  "enable b",
  "uninstall b",
  "uninstall zz",
  "uninstall a --scope project",
  "validate @/a",
  "validate @/bad",
  "validate @/none",
  "marketplace remove nope",
  "marketplace remove mk --scope project",
  "marketplace remove mk",
]
/** What each says in its own words, knows alone or makes up anew. */
const OWN_WORDS =
  /^(message|installedAt|lastUpdated|installPath|projectPath|projectEnabled|availableVersion|installedVersion)$/
const THEIRS_ALONE = /^(displayName|advice|directory|gatingHooks|schema|notes)$/

/** Where we say something else on purpose. */
const OTHERWISE = [
  // It is not there: Claude Code takes the name for one without its marketplace, and the id for one that is off already.
  /^(enable zz|disable zz@mk): \.(failureCode|alreadyInGoalState)/,
  // A failure names what was typed.
  /^update b --scope local: \.pluginId/,
  // Claude Code stops at the first error; we tell the warnings too.
  /^validate @\/bad: \.manifest\.warnings/,
]

test("programs hear the same from us as from Claude Code, and more", { timeout: 600_000 }, async () => {
  await using theirs = scratchHome()
  await using ours = scratchHome()
  const root = writeTree(join(theirs.path, "mk"), {
    ".claude-plugin/marketplace.json": market("mk", [
      { name: "a", source: "./a" },
      { name: "b", source: "./b" },
      { name: "bad", source: "./bad" },
      { name: "gone", source: "./gone" },
    ]),
    "a/.claude-plugin/plugin.json": plugin("a", {
      userConfig: { k: { type: "string", title: "K", description: "d" } },
    }),
    "a/skills/s/SKILL.md": skill(),
    "b/.claude-plugin/plugin.json": plugin("b", { dependencies: ["a"] }),
    "bad/.claude-plugin/plugin.json": { name: "bad", author: "x" },
  })
  const different: string[] = []
  for (const line of COMMANDS) {
    const words = [...line.split(" ").map((word) => word.replace(/^@/, root)), "--json"]
    const claude = await runAgent({ agent: "claude-code", args: ["plugin", ...words], home: theirs, timeout: 90_000 })
    const chorus = await run(ours, words)
    if (chorus.code !== claude.code) different.push(`${line}: ends with ${claude.code}, not ${chorus.code}`)
    different.push(...lacking(answerIn(claude.stdout), answerIn(chorus.stdout)).map((one) => `${line}: ${one}`))
  }
  expect(different.filter((one) => !OTHERWISE.some((known) => known.test(one)))).toEqual([])
})

/** What the first says that the second does not. */
function lacking(theirs: unknown, ours: unknown, at = ""): string[] {
  if (Array.isArray(theirs))
    return theirs.flatMap((one: unknown, index) =>
      lacking(one, Array.isArray(ours) ? ours[index] : undefined, `${at}[${index}]`),
    )
  if (typeof theirs !== "object" || theirs === null)
    return theirs === ours ? [] : [`${at} is ${JSON.stringify(theirs)}, not ${JSON.stringify(ours)}`]
  return Object.entries(theirs).flatMap(([key, value]) => {
    const mine = typeof ours === "object" && ours !== null ? (ours as Answer)[key] : undefined
    if (THEIRS_ALONE.test(key)) return []
    if (OWN_WORDS.test(key)) return mine === undefined && key === "message" ? [`${at} has no message`] : []
    if (key === "errors" || key === "warnings") return countOf(value) === countOf(mine) ? [] : [`${at}.${key} differ`]
    return lacking(value, mine, `${at}.${key}`)
  })
}

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function answerIn(stdout: string): unknown {
  const text = stdout.trim()
  return JSON.parse(/^[[{]\n/.test(text) ? text : (text.split("\n").at(-1) ?? ""))
}

function run(home: ScratchHome, words: readonly string[]): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CHORUS_MAIN, "plugin", ...words], {
      cwd: home.project,
      env: { ...home.environment, CHORUS_MANAGED_SETTINGS: join(home.path, "none.json"), CHORUS_SECRETS: "file" },
      stdio: ["ignore", "pipe", "ignore"],
    })
    let stdout = ""
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")))
    child.on("close", (code) => resolve({ code, stdout }))
  })
}
