import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { boardHooks } from "../src/opencode/board-plugin.ts"

type Hooks = Required<Exclude<Awaited<ReturnType<typeof boardHooks>>, Record<string, never>>>

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory("board-plugin-")
  vi.stubEnv("CHORUS_OPENCODE_KEY", "cho_test")
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await folder[Symbol.asyncDispose]()
})

const log = () => join(folder.path, "log")

/** A hook program that notes what it is told and answers with a text. */
async function hooked(answer: string, body = `printf '%s' "$ANSWER"`): Promise<Hooks> {
  const hook = join(folder.path, "hook")
  writeFileSync(log(), "")
  writeFileSync(
    hook,
    `#!/bin/sh\nANSWER='${answer}'\n{ printf '%s %s ' "$CHORUS_HOOK_PROGRAM" "$CHORUS_URL"; cat; echo; } >> '${log()}'\n${body}\n`,
    { mode: 0o755 },
  )
  return (await boardHooks({ directory: "/work" }, { url: "http://board", hook })) as Hooks
}

const told = () =>
  readFileSync(log(), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [program, url, ...event] = line.split(" ")
      return { program, url, event: JSON.parse(event.join(" ")) as Record<string, unknown> }
    })

const say = (hooks: Hooks, text: string) =>
  hooks["chat.message"]({ sessionID: "ses_1", agent: "build" }, { parts: [{ type: "text", text }] })

describe("OpenCode's plugin for the board", () => {
  test("does nothing without a key", async () => {
    vi.stubEnv("CHORUS_OPENCODE_KEY", undefined)
    expect(await boardHooks({}, { url: "http://board", hook: "/nowhere" })).toEqual({})
  })

  test("tells in order who it is, where it is, and what happens", async () => {
    const hooks = await hooked("")
    await Promise.all([
      say(hooks, "one"),
      hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } }),
    ])
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
    await hooks.dispose()
    expect(told().map(({ event }) => event["hook_event_name"])).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "Stop",
      "SessionEnd",
    ])
    expect(told()[1]).toEqual({
      program: "opencode",
      url: "http://board",
      event: { hook_event_name: "UserPromptSubmit", session_id: "ses_1", prompt: "one", cwd: "/work" },
    })
  })

  test("gives the model what the board answers", async () => {
    const hooks = await hooked('{"hookSpecificOutput":{"additionalContext":"You are Bob."}}')
    await say(hooks, "who am I?")
    const output = { system: ["theirs"] }
    await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, output)
    expect(output.system).toEqual(["theirs", "You are Bob.", "You are Bob."])
  })

  test.each([
    ["nothing", "", undefined],
    ["no JSON", "oops", undefined],
    ["null", "null", undefined],
    ["a list", "[]", undefined],
    ["a failure", "{", "exit 1"],
  ])("goes on when the program answers with %s", async (_, answer, body) => {
    const hooks = await hooked(answer, body)
    await say(hooks, "go")
    await hooks.dispose()
    expect(told().map(({ event }) => event["hook_event_name"])).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "SessionEnd",
    ])
  })

  test("goes on when the program is gone", async () => {
    const hooks = (await boardHooks({}, { url: "http://board", hook: join(folder.path, "never") })) as Hooks
    await say(hooks, "go")
    const output = { system: [] as string[] }
    await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1" }, output)
    expect(output.system).toEqual([])
    await hooks.dispose()
  })
})
