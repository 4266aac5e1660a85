import type { HookOutput, tasks } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { markedIds } from "./named-task.ts"

const w = embeddedWorkspace()
const UUID = "01234567-89ab-cdef-0123-456789abcdef"

describe("a task is marked", () => {
  it.each([
    `Chorus task: ${UUID}`,
    `  - **Chorus task:** \`${UUID}\` – the lamp`,
    `Chorus task: ${UUID.toUpperCase()}.`,
    `Builds on task SHOP-3, read only. Chorus task: ${UUID}`,
    `Do this.\nYour Chorus task: ${UUID}\nKeep to src.`,
    `(chorus:task:${UUID})`,
  ])("by %j", (text) => expect(markedIds(text)).toEqual([UUID]))

  it.each([
    `Look at ${UUID}.`,
    `It builds on Chorus task: ${UUID}`,
    `> Chorus task: ${UUID}`,
    `Chorus task: ${UUID} (read only)`,
    `Chorus task: ${UUID}0`,
    "Chorus task: the one we spoke of",
    "chorus:task:nothing",
  ])("not by %j", (text) => expect(markedIds(text)).toEqual([]))

  it("by the words that its call is described with, in which an id comes first; the prompt's mark goes before", () => {
    expect(markedIds("Do it.", "shop-12 lamp")).toEqual(["SHOP-12"])
    expect(markedIds("Do it.", "Chorus task: SHOP-12")).toEqual(["SHOP-12"])
    expect(markedIds("Do it.", "Review SHOP-12")).toEqual([])
    expect(markedIds("Chorus task: SHOP-13", "SHOP-12 lamp")).toEqual(["SHOP-13"])
  })
})

const MENTIONS = [
  (id: string) => `Builds on task ${id}, read only.`,
  (id: string) => `See ${id} for how the shelf was made.`,
  (id: string) => `Do not touch ${id}; somebody else works on it.`,
  (id: string) => `- ${id}: background`,
  (id: string) => `> Chorus task: ${id}`,
  () => "Use UTF-8 and SHA-256, and keep to src/basket.",
]
const MARKS = [
  (id: string) => `Chorus task: ${id}`,
  (id: string) => `**Chorus task:** ${id}`,
  (id: string) => `Now to the work. Chorus task: ${id}`,
  (id: string) => `Please do chorus:task:${id} and nothing else.`,
]

it("is the marked one, or none, whatever else the prompt speaks of", async () => {
  const named = await Promise.all(Array.from({ length: 4 }, async (_, at) => w.newTask({ title: `task ${at}` })))
  const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
  const idOf = async (at: number, short: boolean) => {
    const { uuid, shortId } = await detail(named[at] ?? "")
    return short ? String(shortId) : uuid
  }
  const task = fc.nat(named.length - 1)
  const part = (forms: readonly unknown[]) => fc.tuple(fc.nat(forms.length - 1), task, fc.boolean())
  const prompts = fc.record({
    mentions: fc.array(part(MENTIONS), { maxLength: 4 }),
    marks: fc.array(part(MARKS), { maxLength: 2 }),
    order: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  })
  let call = 0
  await fc.assert(
    fc.asyncProperty(prompts, async ({ mentions, marks, order }) => {
      const lines = [
        ...(await Promise.all(mentions.map(async ([form, at, short]) => MENTIONS[form]?.(await idOf(at, short))))),
        ...(await Promise.all(marks.map(async ([form, at, short]) => MARKS[form]?.(await idOf(at, short))))),
      ]
      const prompt = lines
        .map((line, at) => ({ line, at: order[at] ?? 0 }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ line }) => line)
        .join("\n")
      const spawned = { session_id: `p-${++call}`, cwd: "/home/ann/shop", tool_name: "Agent", tool_use_id: "toolu_1" }
      const tell = (hook_event_name: string, more: object) =>
        w.call<HookOutput>(w.developer, "chorus_hook", { ...spawned, hook_event_name, ...more })
      const { hookSpecificOutput } = await tell("PreToolUse", {
        tool_input: { prompt, description: "work", subagent_type: "general-purpose" },
      })
      const words = String(hookSpecificOutput?.updatedInput?.["prompt"]).slice(prompt.length)
      const wanted = new Set(marks.map(([, at]) => named[at]))
      const started = await Promise.all(
        named.map(async (uuid) => ((await detail(uuid)).status === "open" ? [] : [uuid])),
      )
      expect(started.flat()).toEqual(wanted.size === 1 ? [...wanted] : [])
      if (wanted.size > 1) expect(words).toContain(`marks ${wanted.size} Chorus tasks as yours, so none was started`)
      if (wanted.size === 0 && mentions.some(([form]) => form !== MENTIONS.length - 1))
        expect(words).toContain('who gives it writes "Chorus task: <id>" on a line of its own')
      // Nobody began to work after all: what was taken for this call alone is free for the next prompt.
      await tell("PostToolUseFailure", {})
    }),
    { numRuns: 60 },
  )
})

it("is told to be out of reach in the same words as one that is not there", async () => {
  const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.stranger, "chorus_create_tasks", {
    projectUuid: w.strangersProject,
    tasks: [{ title: "secret", acceptanceCriteriaItems: [{ description: "x" }] }],
  })
  const told = async (id: string) => {
    const { hookSpecificOutput } = await w.call<HookOutput>(w.developer, "chorus_hook", {
      session_id: "reach",
      hook_event_name: "PreToolUse",
      tool_name: "Agent",
      tool_use_id: `toolu_${id}`,
      tool_input: { prompt: `Chorus task: ${id}`, description: "work", subagent_type: "general-purpose" },
    })
    const prompt = String(hookSpecificOutput?.updatedInput?.["prompt"])
    return prompt.replaceAll(id, "ID").replaceAll(/[0-9a-f-]{36}/g, "SESSION")
  }
  expect(await told(String(made[0]?.uuid))).toBe(await told(UUID))
})
