import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { acpAdapter, agentProgram, drive, isRunning, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Entry, openStage, type Stage, startRunnerProcess } from "./run-stage.ts"

/** A command that is at work until somebody ends it. */
const LONG = "node -e 'setTimeout(() => {}, 90000)'"
const DONE = { text: "DONE It is done.\n[x] 1 it says red" }

interface Program {
  readonly program: "claude" | "codex" | "opencode"
  readonly version: string
  shell(command: string): object
  /** The same where it has to ask first. */
  asking(command: string): object
  /** Makes a file that holds a line, and puts another line in its place. */
  write(path: string, line: string): object
  edit(path: string, line: string, other: string): object
  readonly question: object
  /** The calls by which it has a sub-agent do something and hears what came of it. */
  child(prompt: string): object[][]
  places(): Promise<string[]>
}

const BOOK = readFileSync(join(import.meta.dirname, "../../../docs/runs.md"), "utf8")
const COLUMNS = ["claude", "codex", "opencode"] as const

/** What the books say that each program can do, by row: that is what is asked of it here. */
const CAN = new Map(
  [...(BOOK.split("\n## What each program can do\n")[1]?.split("\n## ")[0] ?? "").matchAll(/^\| (\w.*) \|$/gm)].map(
    ([, row = ""]) => {
      const [what = "", ...cells] = row.split(" | ")
      return [what, Object.fromEntries(COLUMNS.map((program, at) => [program, cells[at] ?? ""]))] as const
    },
  ),
)
const tried = new Set<string>()

const COLOUR = { question: "Which red?", header: "Red", options: [{ label: "Ruby", description: "r" }] }
const patch = (...lines: string[]) => ({
  name: "exec_command",
  input: { cmd: ["apply_patch <<'END'", "*** Begin Patch", ...lines, "*** End Patch", "END"].join("\n") },
})
const bash = (command: string) => ({ name: "Bash", input: { command, description: "run it" } })
const claude = (version: "2.1.325" | "2.1.197"): Program => ({
  program: "claude",
  version,
  shell: bash,
  asking: bash,
  write: (file_path, line) => ({ name: "Write", input: { file_path, content: `${line}\n` } }),
  edit: (file_path, old_string, new_string) => ({ name: "Edit", input: { file_path, old_string, new_string } }),
  question: {
    name: "AskUserQuestion",
    input: {
      questions: [
        {
          question: "Which red?",
          header: "Red",
          multiSelect: false,
          options: [
            { label: "Ruby", description: "r" },
            { label: "Rust", description: "b" },
          ],
        },
        {
          question: "Which doors?",
          header: "Doors",
          multiSelect: true,
          options: [
            { label: "Front", description: "f" },
            { label: "Back", description: "b" },
          ],
        },
      ],
    },
  },
  child: (prompt) => [
    [{ name: "Agent", input: { description: "Look around", prompt, subagent_type: "general-purpose" } }],
  ],
  places: async () => [dirname(await agentProgram("claude-code", version)), await acpAdapter("claude")],
})

const PROGRAMS: readonly Program[] = [
  claude("2.1.325"),
  claude("2.1.197"),
  {
    program: "codex",
    version: "0.166.0",
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    asking: (cmd) => ({
      name: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "May I?" },
    }),
    write: (path, line) => patch(`*** Add File: ${path}`, `+${line}`),
    edit: (path, line, other) => patch(`*** Update File: ${path}`, "@@", `-${line}`, `+${other}`),
    question: { name: "request_user_input", input: { questions: [{ id: "red", ...COLOUR }] } },
    child: (message) => [
      [{ name: "spawn_agent", namespace: "collaboration", input: { message, task_name: "look_around" } }],
      [{ name: "wait_agent", namespace: "collaboration", input: { timeout_ms: 60_000 } }],
    ],
    places: async () => [dirname(await agentProgram("codex")), await acpAdapter("codex")],
  },
  {
    program: "opencode",
    version: "1.18.33",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    asking: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    write: (filePath, line) => ({ name: "write", input: { filePath, content: `${line}\n` } }),
    edit: (filePath, oldString, newString) => ({ name: "edit", input: { filePath, oldString, newString } }),
    question: { name: "question", input: { questions: [COLOUR] } },
    child: (prompt) => [[{ name: "task", input: { description: "Look around", prompt, subagent_type: "general" } }]],
    places: async () => [dirname(await agentProgram("opencode"))],
  },
]

describe.each(PROGRAMS)("$program $version", (one) => {
  const { program, shell, asking } = one
  const isCodex = program === "codex"
  const ask = ["--mode", isCodex ? "edit" : "ask"]
  let model: Awaited<ReturnType<typeof startModel>>
  let home: ReturnType<typeof scratchHome>
  let stage: Stage

  beforeAll(async () => {
    model = await startModel(drive)
    // Codex has sub-agents with models that it knows.
    home = scratchHome({ model, codexModel: "gpt-6.1-sol" })
    // And OpenCode knows what a model costs from whoever names it.
    const settings = join(home.path, ".config", "opencode", "opencode.json")
    const priced = readFileSync(settings, "utf8").replace(
      '"tool_call": true',
      '$&, "cost": { "input": 1, "output": 2 }',
    )
    writeFileSync(settings, priced)
    stage = await openStage({ allow, env: await environment() })
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await home.remove()
    await model.stop()
  })

  const allow = ["--mode", "all", "--env", "SCRIPTED_API_KEY", "npm_config_registry"]
  const environment = async () => {
    const PATH = [...(await one.places()), home.environment["PATH"]].join(":")
    return { ...home.environment, PATH, CHORUS_CHECK_OUTPUT: "1" }
  }
  const does = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`
  const start = async (turns: unknown[], mode: readonly string[] = ["--mode", "all"]) =>
    (await stage.start(await stage.task(does(...turns)), "--program", program, ...mode)).uuid
  const told = async (uuid: string, what: (entry: Entry) => boolean) => {
    let all: Entry[] = []
    const look = async () => (all = await stage.transcript(uuid)).find(what)
    return waitFor(look, 60_000, () => `an entry in ${JSON.stringify(all).slice(-3000)}`)
  }
  const atWork = (uuid: string) =>
    told(uuid, (entry) => entry.kind === "tool" && JSON.stringify(entry).includes("setTimeout"))
  const answer = async (uuid: string, said: object) => {
    await stage.until(uuid, "waiting")
    const attentionUuid = await waitFor(async () => {
      const { items } = await stage.call<{ items: { uuid: string; attention: { answerable: boolean } | null }[] }>(
        "chorus_needs_you",
        {},
      )
      return items.find(({ attention }) => attention?.answerable === true)?.uuid
    }, 30_000)
    await stage.call("chorus_answer_attention", { attentionUuid, answer: said })
  }
  const file = (uuid: string, name: string) => {
    try {
      return stage.git("show", `refs/chorus/runs/${uuid}/last:${name}`)
    } catch {
      return undefined
    }
  }
  const asksOf = async (uuid: string) => (await stage.transcript(uuid)).filter(({ kind }) => kind === "ask")
  /** What it can do by the books, and how that is seen. */
  const can = (what: string, ways: Readonly<Record<string, () => Promise<void>>>, how = "") => {
    tried.add(what)
    const said = CAN.get(what)?.[program] ?? "nothing"
    it([what, how, said].filter(Boolean).join(": "), ways[said] ?? (() => expect.fail(`The books say ${said}.`)))
  }
  const noStrays = (uuid: string) => waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")

  const diffsShown = (ofNewFiles: boolean) => async () => {
    const uuid = await start([])
    await stage.until(uuid, "finished")
    const { worktree } = await stage.run(uuid)
    const path = `${worktree}/door.txt`
    await stage.json("runs", "send", uuid, does([one.write(path, "red")], [one.edit(path, "red", "ruby")], DONE))
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
    const calls = (await stage.transcript(uuid)).filter(({ kind }) => kind === "tool")
    const diffs = calls.map(({ data }) => data["diffs"])
    const changed = expect.objectContaining({ newText: expect.stringContaining("ruby") })
    const made = expect.objectContaining({ newText: "red\n" })
    expect(diffs, JSON.stringify(calls)).toEqual([ofNewFiles ? [made] : [], expect.arrayContaining([changed])])
    expect(file(uuid, "door.txt")).toBe("ruby")
  }
  can("Shows what it writes as a diff", { yes: diffsShown(true), "not what is new": diffsShown(false) })

  const refused = (turns: number) => async () => {
    const uuid = await start([[asking("echo no > refused.txt")], DONE], ask)
    await answer(uuid, { decision: "deny" })
    await waitFor(async () => (await asksOf(uuid)).every(({ status }) => status === "deny"), 60_000)
    if (turns > 1) {
      await told(uuid, ({ kind, status }) => kind === "tool" && status !== "pending" && status !== "in_progress")
      expect(await stage.run(uuid)).toMatchObject({ state: "waiting" })
      await stage.json("runs", "send", uuid, does(DONE))
    }
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns })
    expect(file(uuid, "refused.txt")).toBeUndefined()
    await noStrays(uuid)
  }
  can("After your no", { "it goes on": refused(1), "it waits for your word": refused(2) })

  can("Asks once for what you allow for the run", {
    async yes() {
      const uuid = await start([[asking("echo 1 >> twice.txt")], [asking("echo 1 >> twice.txt")], DONE], ask)
      await answer(uuid, { decision: "approve", data: { remember: "run" } })
      expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished" })
      expect(file(uuid, "twice.txt")).toBe("1\n1")
      // Both stand in the transcript; the second was answered by what the person said to the first.
      const once = expect.stringMatching(/, once for all$/)
      const by = (await asksOf(uuid)).map(({ data }) => data["by"])
      expect(by).toEqual([expect.not.stringMatching(/, once for all$/), once])
    },
  })

  can("Asks you questions", {
    async yes() {
      const uuid = await start([[one.question], DONE])
      await stage.until(uuid, "waiting")
      await stage.json("runs", "answer", uuid, "ruby", "front, and the barn's")
      await stage.until(uuid, "finished")
      const heard = (words: string) => model.requests.some(({ newest }) => newest.includes(words))
      expect([heard("Ruby"), heard("Front, and the barn's")]).toEqual([true, true])
    },
    async no() {
      const uuid = await start([[one.question], DONE])
      expect(await stage.until(uuid, "finished", "failed", "waiting")).toMatchObject({ state: "finished", waitMs: 0 })
      expect(await asksOf(uuid)).toEqual([])
    },
  })

  const heard = (words: string, isHeard: (entry: Entry) => boolean) => async () => {
    const wait = (ms: number) => `node -e 'setTimeout(() => {}, ${ms})'`
    const uuid = await start([[shell(`${wait(3000)} && echo > half && ${wait(6000)} && echo whole > whole`)], DONE])
    const { worktree } = await waitFor(async () => {
      const run = await stage.run(uuid)
      return run.worktree !== null && existsSync(join(run.worktree, "half")) ? run : undefined
    }, 60_000)
    await stage.json("runs", "send", uuid, words)
    await told(uuid, isHeard)
    expect(existsSync(join(worktree ?? "", "whole"))).toBe(true)
    await stage.until(uuid, "finished")
  }
  can("Hears you while it works", {
    "when its call has ended": heard(
      "Use ruby.",
      ({ kind, text, status }) => kind === "user" && text === "Use ruby." && status === "steered",
    ),
    "in its next turn": heard(
      does({ text: "DONE Heard." }),
      ({ kind, text }) => kind === "message" && text === "DONE Heard.",
    ),
  })

  for (const where of ["a command", "an answer"])
    can(
      "Goes on after it was interrupted",
      {
        async yes() {
          const stream = { text: "word ".repeat(400), chunkDelay: 200 }
          const uuid = await start([where === "a command" ? [shell(LONG)] : stream])
          await (where === "a command" ? atWork(uuid) : told(uuid, ({ kind }) => kind === "message"))
          await stage.json("runs", "interrupt", uuid)
          await stage.until(uuid, "waiting")
          await stage.json("runs", "send", uuid, does(DONE))
          expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
          await noStrays(uuid)
        },
      },
      `in ${where}`,
    )

  can("Is stopped in a command, and nothing is left", {
    async yes() {
      const uuid = await start([[shell(LONG)], DONE])
      await atWork(uuid)
      await waitFor(() => stage.strays(uuid).length > 1)
      const all = stage.strays(uuid)
      await stage.json("runs", "stop", uuid)
      await stage.until(uuid, "stopped")
      expect(all.filter((pid) => isRunning(pid))).toEqual([])
      expect(stage.git("worktree", "list", "--porcelain")).not.toContain("locked")
    },
  })

  can("Says why its model refused", {
    async yes() {
      const uuid = await start([{ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }])
      expect(await stage.until(uuid, "failed", "finished")).toMatchObject({
        state: "failed",
        reason: expect.stringContaining("scripted refusal"),
      })
      await noStrays(uuid)
    },
  })

  can("Is stopped while it tries again in silence", {
    async yes() {
      const seen = () => model.requests.filter(({ all }) => all.includes("scripted overload")).length
      const uuid = await start([{ error: { status: 529, type: "overloaded_error", message: "scripted overload" } }])
      await waitFor(async () => seen() > 1 || (await stage.run(uuid)).state === "failed", 60_000)
      await stage.json("runs", "stop", uuid)
      await stage.until(uuid, "stopped", "failed")
      await noStrays(uuid)
    },
  })

  can("Its sub-agents ask you", {
    async yes() {
      const inner = does([asking("echo red > by-child.txt")], { text: "Seen." })
      const uuid = await start([...one.child(inner), DONE], ask)
      await answer(uuid, { decision: "approve" })
      expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished" })
      expect(file(uuid, "by-child.txt")).toBe("red")
      expect((await stage.transcript(uuid)).some(({ child }) => child !== null)).toBe(true)
    },
    async "it has some in mode `all` alone"() {
      const inner = does([shell("echo red > by-child.txt")], { text: "Seen." })
      const [without, free] = [await start([...one.child(inner), DONE], ask), await start([...one.child(inner), DONE])]
      for (const uuid of [without, free])
        expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", waitMs: 0 })
      expect([file(without, "by-child.txt"), file(free, "by-child.txt")]).toEqual([undefined, "red"])
    },
  })

  can("Tells what it costs", {
    yes: async () => expect((await stage.until(await start([DONE]), "finished")).usage.costUsd).not.toBeNull(),
    no: async () => expect((await stage.until(await start([DONE]), "finished")).usage.costUsd).toBeNull(),
  })

  for (const victim of ["agent", "server"] as const)
    can(
      "Goes on after it, the server or the runner was killed",
      {
        async yes() {
          const uuid = await start([[shell("node -e 'setTimeout(() => {}, 20000)'")], DONE])
          await atWork(uuid)
          const { sessionId } = await stage.run(uuid)
          if (victim === "server") await stage.restart("SIGKILL")
          else {
            const [first = 0] = stage.strays(uuid).toSorted((a, b) => a - b)
            process.kill(first, "SIGKILL")
            await stage.until(uuid, "lost")
            await noStrays(uuid)
            await stage.json("runs", "resume", uuid, does(DONE))
          }
          const run = await stage.until(uuid, "finished", "failed", "lost")
          expect(run).toMatchObject({ state: "finished", reason: null })
          // Claude Code 2.1.197 may not have written its first turn down yet; then it begins anew, with the whole brief.
          if (one.version !== "2.1.197") expect(run).toMatchObject({ sessionId })
          await noStrays(uuid)
        },
      },
      victim,
    )

  const withoutOurTools = (isSaid: boolean) => async () => {
    await using apart = await openStage({ allow, env: await environment(), start: ["--no-runner"] })
    await using relay = await withoutTools(apart.url())
    const begin = async () => startRunnerProcess(apart.data, { ...(await environment()), CHORUS_URL: relay.url })
    let runner = await begin()
    const taskUuid = await apart.task(does([shell("node -e 'setTimeout(() => {}, 20000)'")], DONE))
    const { uuid } = await apart.start(taskUuid, "--program", program, "--mode", "all")
    const tool = ({ kind, data }: Entry) => kind === "tool" && JSON.stringify(data).includes("setTimeout")
    await waitFor(async () => (await apart.transcript(uuid)).some(tool), 60_000, "its command")
    const { sessionId } = await apart.run(uuid)
    await runner.end("SIGKILL")
    // The watchman ends them; nobody has to come back for that.
    await waitFor(() => apart.strays(uuid).length === 0, 60_000, "its processes to end")
    runner = await begin()
    const run = await apart.until(uuid, "finished", "failed", "lost")
    expect(run).toMatchObject({ state: "finished", reason: null })
    // Claude Code may not have written its first turn down yet; then it begins anew, with the whole brief.
    if (program !== "claude") expect(run).toMatchObject({ sessionId })
    expect(run.warning).toContain("works without them")
    const notes = (await apart.transcript(uuid)).filter(({ kind }) => kind === "note")
    expect(notes.some(({ text }) => text?.includes("does not reach Chorus's tools") === true)).toBe(isSaid)
    await waitFor(() => apart.strays(uuid).length === 0, 60_000, "its processes to end")
    await runner.end()
  }
  // In the same test its runner is killed.
  can("Says that it does not reach the tools of Chorus", {
    "as soon as it knows": withoutOurTools(true),
    "at its end": withoutOurTools(false),
  })
})

it("the books tell of nothing that nobody tried", () => {
  expect([...CAN.keys()].toSorted()).toEqual([...tried].toSorted())
})

/** The server but for the tools that it gives agents. */
async function withoutTools(target: string) {
  const { hostname, port } = new URL(target)
  const relay = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith("/api/mcp") === true) return outgoing.writeHead(503).end()
    const { url: path, method, headers } = incoming
    const onward = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    return incoming.pipe(onward)
  })
  await new Promise<void>((ready) => relay.listen(0, "127.0.0.1", ready))
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      relay.closeAllConnections()
      relay.close()
    },
  }
}
