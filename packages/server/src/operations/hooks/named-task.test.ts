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
    `Chorus task: ${UUID}\nRead-only access to the store will do.`,
    `Chorus task: ${UUID}. Read-only access to the store will do.`,
    `(chorus:task:${UUID})`,
    `Chorus task：${UUID}`,
  ])("by %j", (text) => expect(markedIds(text)).toEqual([UUID]))

  it.each([
    `Look at ${UUID}.`,
    `It builds on Chorus task: ${UUID}`,
    `> Chorus task: ${UUID}`,
    `Chorus task: ${UUID} (read only)`,
    `Chorus task: ${UUID}0`,
    "Chorus task: the one we spoke of",
    "chorus:task:nothing",
    `chorus:task:${UUID} (read only)`,
    `Chorus task: **${UUID}** – read-only`,
    `> chorus:task:${UUID}`,
    `  > Now to the work. Chorus task: ${UUID}`,
  ])("not by %j", (text) => expect(markedIds(text)).toEqual([]))

  it.each([
    "Chorus task: SHOP-12 and SHOP-13",
    "Chorus task: SHOP-12, SHOP-13",
    "**Chorus task:** `SHOP-12`, and `SHOP-13`",
    "chorus:task:SHOP-12/SHOP-13",
    "Chorus task: SHOP-12 to SHOP-13.",
    "Chorus task: SHOP-12、SHOP-13",
    "Chorus task: **SHOP-12** SHOP-13",
    "Chorus task: SHOP-12 | SHOP-13",
    "Chorus task: SHOP-12 -> SHOP-13",
  ])("as one of several by %j", (text) => expect(markedIds(text)).toEqual(["SHOP-12", "SHOP-13"]))

  it("alone where the other of the two is only to be read", () => {
    expect(markedIds("Chorus task: SHOP-12, SHOP-13 (read only)")).toEqual(["SHOP-12"])
    expect(markedIds("Chorus task: SHOP-12 (read-only) and SHOP-13")).toEqual(["SHOP-13"])
    expect(markedIds("Chorus task: SHOP-12 (see SHOP-13)")).toEqual(["SHOP-12"])
  })

  it("by the words that its call is described with, in which an id comes first; the prompt's mark goes before", () => {
    expect(markedIds("Do it.", "shop-12 lamp")).toEqual(["SHOP-12"])
    expect(markedIds("Do it.", "Chorus task: SHOP-12")).toEqual(["SHOP-12"])
    expect(markedIds("Do it.", "Review SHOP-12")).toEqual([])
    expect(markedIds("Chorus task: SHOP-13", "SHOP-12 lamp")).toEqual(["SHOP-13"])
    expect(markedIds("Do it.", "SHOP-12 & SHOP-13")).toEqual(["SHOP-12", "SHOP-13"])
    for (const words of ["SHOP-12 (read only)", "SHOP-12 read-only lookup", "> chorus:task:SHOP-12"])
      expect(markedIds("Do it.", words)).toEqual([])
    expect(markedIds("What does SHOP-12, read only, say?", "SHOP-12 summary")).toEqual([])
  })
})

/** An id as somebody wrote it. */
interface Written {
  readonly as: string
  readonly id: string
}

/** Words for a prompt, and what they say: which ids they mark, and which are only to be read. */
interface Said {
  readonly words: string
  readonly marks: readonly Written[]
  readonly toRead?: readonly Written[]
}

const word = fc.stringMatching(/^[a-z]{2,8}$/).filter((one) => !/^(and|or|then|plus|to|through|is|are|read)$/.test(one))
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "))
const oneOf = (...all: string[]) => fc.constantFrom(...all)
const READ_ONLY = [" (read only)", ", read-only", " – read only", " is read only"]

/** What looks like an id and is none. */
const noTask = fc
  .tuple(oneOf("UTF", "SHA", "ISO", "utf", "COVID"), fc.integer({ min: 1, max: 9999 }))
  .map(([name, number]): Written => ({ as: `${name}-${number}`, id: `${name.toUpperCase()}-${number}` }))

/** One id or several, each perhaps only to be read, as people put them in a row. */
function rowOf(id: fc.Arbitrary<Written>): fc.Arbitrary<Said> {
  const item = fc.record({
    id,
    around: oneOf("", "", "`", "**"),
    only: fc.option(oneOf(...READ_ONLY), { freq: 5 }),
    between: oneOf(", ", " and ", ", and ", " & ", "/", "; ", " + ", " then ", "、", " ", " | ", " → "),
  })
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    words: items
      .map(
        ({ id: { as }, around, only, between }, at) => `${at === 0 ? "" : between}${around}${as}${around}${only ?? ""}`,
      )
      .join(""),
    marks: items.filter(({ only }) => only === null).map((one) => one.id),
    toRead: items.filter(({ only }) => only !== null).map((one) => one.id),
  }))
}

/** A line that marks what stands in its row. */
function markOf(id: fc.Arbitrary<Written>): fc.Arbitrary<Said> {
  const before = fc.oneof(
    oneOf("", "- ", "* ", "## ", "Your ", "(").map((decoration) => `${decoration}Chorus task: `),
    oneOf("**Chorus task:** ", "chorus-task: "),
    words.map((some) => `${some}. Chorus task: `),
    words.map((some) => `${some} chorus:task:`),
  )
  const after = fc.oneof(
    oneOf("", "."),
    words.map((some) => ` – ${some}`),
  )
  return fc
    .tuple(before, rowOf(id), after)
    .map(([start, { words: row, ...says }, end]) => ({ words: start + row + end, ...says }))
}

/** Words that speak of a task, or of what somebody else was told, and mark nothing. */
function spokenOf(id: fc.Arbitrary<Written>): fc.Arbitrary<Said> {
  const plain = fc.tuple(words, id, words)
  return fc.oneof(
    fc.tuple(plain, oneOf(...READ_ONLY)).map(([[before, one, after], only]) => ({
      words: `${before} ${one.as}${only}, ${after}`,
      marks: [],
      toRead: [one],
    })),
    plain.map(([before, one, after]) => ({ words: `${before} ${one.as} ${after}`, marks: [] })),
    plain.map(([before, one]) => ({ words: `${before} Chorus task: ${one.as}`, marks: [] })),
    markOf(id).map((mark) => ({ ...mark, words: `> ${mark.words}`, marks: [] })),
    words.map((some) => ({ words: some, marks: [] })),
  )
}

interface Told {
  readonly prompt: string
  readonly description: string
  /** What is marked in so many words, and what is marked at all. */
  readonly explicit: readonly string[]
  readonly marked: readonly string[]
}

/** Prompts and descriptions in words of their own, with what they ask for. */
function toldOf(id: fc.Arbitrary<Written>): fc.Arbitrary<Told> {
  const any = fc.oneof({ arbitrary: id, weight: 4 }, { arbitrary: noTask, weight: 1 })
  const item = fc.tuple(any, words).map(([one, some]): Said => ({ words: `- ${one.as}: ${some}`, marks: [] }))
  const line = fc.oneof(
    { arbitrary: spokenOf(any), weight: 3 },
    { arbitrary: item, weight: 1 },
    { arbitrary: markOf(any), weight: 1 },
  )
  const description = fc.oneof(
    fc.oneof(spokenOf(any), markOf(any)).map((said) => ({ said, row: undefined })),
    fc.tuple(rowOf(any), words).map(([row, some]) => {
      const said: Said = { words: `${row.words} ${some}`, marks: [] }
      return { said, row }
    }),
  )
  return fc.tuple(fc.array(line, { maxLength: 4 }), description).map(([lines, { said, row }]) => {
    const prompt = lines.map((one) => one.words).join("\n")
    const explicit = [...new Set([...lines, said].flatMap(({ marks }) => marks.map((one) => one.id)))]
    const toRead = new Set(
      [...lines, ...(row === undefined ? [] : [row])].flatMap((one) => one.toRead ?? []).map((one) => one.id),
    )
    const first = [...new Set((row?.marks ?? []).map((one) => one.id))].filter((one) => !toRead.has(one))
    return { prompt, description: said.words, explicit, marked: explicit.length > 0 ? explicit : first }
  })
}

it("is marked in generated words exactly where these mark it", () => {
  const id = fc
    .tuple(oneOf("SHOP", "shop", "AB2"), fc.integer({ min: 1, max: 9 }), fc.boolean())
    .map(([key, number, long]): Written => {
      const short = `${key}-${number}`
      return long
        ? { as: UUID.slice(0, -1) + number, id: UUID.slice(0, -1) + number }
        : { as: short, id: short.toUpperCase() }
    })
  fc.assert(
    fc.property(toldOf(id), ({ prompt, description, marked }) => {
      expect(new Set(markedIds(prompt, description))).toEqual(new Set(marked))
    }),
    { numRuns: 1000 },
  )
})

it("is started where it is the one that is marked, and none else, whatever the prompt speaks of", async () => {
  const named = await Promise.all(Array.from({ length: 4 }, async (_, at) => w.newTask({ title: `task ${at}` })))
  const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
  const uuidOf = new Map<string, string>()
  for (const uuid of named) uuidOf.set(uuid, uuid).set(String((await detail(uuid)).shortId), uuid)
  const id = fc.constantFrom(...uuidOf.keys()).map((one): Written => ({ as: one, id: one }))
  let call = 0
  await fc.assert(
    fc.asyncProperty(toldOf(id), async ({ prompt, description, explicit, marked }) => {
      const spawned = { session_id: `p-${++call}`, cwd: "/home/ann/shop", tool_name: "Agent", tool_use_id: "toolu_1" }
      const tell = (hook_event_name: string, more: object) =>
        w.call<HookOutput>(w.developer, "chorus_hook", { ...spawned, hook_event_name, ...more })
      const { hookSpecificOutput } = await tell("PreToolUse", {
        tool_input: { prompt, description, subagent_type: "general-purpose" },
      })
      const said = String(hookSpecificOutput?.updatedInput?.["prompt"]).slice(prompt.length)
      const wanted = new Set(marked.flatMap((one) => uuidOf.get(one) ?? []))
      const started = await Promise.all(
        named.map(async (uuid) => ((await detail(uuid)).status === "open" ? [] : [uuid])),
      )
      expect(started.flat()).toEqual(wanted.size === 1 ? [...wanted] : [])
      const speaks = [...uuidOf.keys()].some((one) => prompt.includes(one))
      if (wanted.size > 1) expect(said).toContain(`marks ${wanted.size} Chorus tasks as yours, so none was started`)
      else if (wanted.size === 0 && explicit.length > 0) expect(said).toContain("Chorus knows no task")
      else if (wanted.size === 0) expect(said.includes("marks none as yours, so none was started")).toBe(speaks)
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
