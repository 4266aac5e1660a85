import { existsSync } from "node:fs"
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
  write?(path: string, content: string): object
  readonly question?: object
  child?(prompt: string): object
  places(): Promise<string[]>
}

const bash = (command: string) => ({ name: "Bash", input: { command, description: "run it" } })
const claude = (version: "2.1.325" | "2.1.197"): Program => ({
  program: "claude",
  version,
  shell: bash,
  asking: bash,
  write: (file_path, content) => ({ name: "Write", input: { file_path, content } }),
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
  child: (prompt) => ({
    name: "Agent",
    input: { description: "Look around", prompt, subagent_type: "general-purpose" },
  }),
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
    places: async () => [dirname(await agentProgram("codex")), await acpAdapter("codex")],
  },
  {
    program: "opencode",
    version: "1.18.33",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    asking: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
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
    home = scratchHome({ model })
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
  const noStrays = (uuid: string) => waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")

  if (one.write !== undefined)
    it("shows what it writes as a diff, and git has it", async () => {
      const uuid = await start([])
      await stage.until(uuid, "finished")
      const { worktree } = await stage.run(uuid)
      await stage.json("runs", "send", uuid, does([one.write?.(`${worktree}/door.txt`, "red\n")], DONE))
      await stage.until(uuid, "finished")
      const entry = await told(uuid, ({ kind, title }) => kind === "tool" && title?.includes("door.txt") === true)
      if (program === "claude") expect(entry).toMatchObject({ data: { diffs: [{ newText: "red\n" }] } })
      expect(file(uuid, "door.txt")).toBe("red")
    })

  it("does not do what a person refuses", async () => {
    const uuid = await start([[asking("echo no > refused.txt")], DONE], ask)
    await answer(uuid, { decision: "deny" })
    await stage.until(uuid, ...(isCodex ? (["waiting", "finished"] as const) : (["finished"] as const)))
    expect(file(uuid, "refused.txt")).toBeUndefined()
    await stage.json("runs", "stop", uuid)
    await noStrays(uuid)
  })

  it("asks once for what a person allows for the whole run", async () => {
    const uuid = await start([[asking("echo 1 >> twice.txt")], [asking("echo 1 >> twice.txt")], DONE], ask)
    await answer(uuid, { decision: "approve", data: { remember: "run" } })
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished" })
    expect(file(uuid, "twice.txt")).toBe("1\n1")
    // Both stand in the transcript; the second was answered by what the person said to the first.
    const asks = (await stage.transcript(uuid)).filter(({ kind }) => kind === "ask")
    const once = expect.stringMatching(/, once for all$/)
    expect(asks.map(({ data }) => data["by"])).toEqual([expect.not.stringMatching(/, once for all$/), once])
  })

  if (one.question !== undefined)
    it("hears what a person says to each of its questions", async () => {
      const uuid = await start([[one.question], DONE])
      await stage.until(uuid, "waiting")
      await stage.json("runs", "answer", uuid, "ruby", "front, and the barn's")
      await stage.until(uuid, "finished")
      const heard = (words: string) => model.requests.some(({ newest }) => newest.includes(words))
      expect([heard("Ruby"), heard("Front, and the barn's")]).toEqual([true, true])
    })

  it("hears what is said while it works when its command has ended, or in its next turn", async () => {
    const wait = (ms: number) => `node -e 'setTimeout(() => {}, ${ms})'`
    const uuid = await start([[shell(`${wait(3000)} && echo > half && ${wait(6000)} && echo whole > whole`)], DONE])
    const { worktree } = await waitFor(async () => {
      const run = await stage.run(uuid)
      return run.worktree !== null && existsSync(join(run.worktree, "half")) ? run : undefined
    }, 60_000)
    await stage.json("runs", "send", uuid, program === "opencode" ? does({ text: "DONE Heard." }) : "Use ruby.")
    const steered = ({ kind, text, status }: Entry) => kind === "user" && text === "Use ruby." && status === "steered"
    const inNextTurn = ({ kind, text }: Entry) => kind === "message" && text === "DONE Heard."
    await told(uuid, program === "opencode" ? inNextTurn : steered)
    expect(existsSync(join(worktree ?? "", "whole"))).toBe(true)
    await stage.until(uuid, "finished")
  })

  it.each(["a tool", "the stream"])("is interrupted in %s and goes on when it is told to", async (where) => {
    const stream = { text: "word ".repeat(400), chunkDelay: 200 }
    const uuid = await start([where === "a tool" ? [shell(LONG)] : stream])
    await (where === "a tool" ? atWork(uuid) : told(uuid, ({ kind }) => kind === "message"))
    await stage.json("runs", "interrupt", uuid)
    await stage.until(uuid, "waiting")
    await stage.json("runs", "send", uuid, does(DONE))
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
    await noStrays(uuid)
  })

  it("is stopped in a tool, and nothing of it is left", async () => {
    const uuid = await start([[shell(LONG)], DONE])
    await atWork(uuid)
    await waitFor(() => stage.strays(uuid).length > 1)
    const all = stage.strays(uuid)
    await stage.json("runs", "stop", uuid)
    await stage.until(uuid, "stopped")
    expect(all.filter((pid) => isRunning(pid))).toEqual([])
    expect(stage.git("worktree", "list", "--porcelain")).not.toContain("locked")
  })

  it("has failed when its model refuses, and says why", async () => {
    const uuid = await start([{ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }])
    expect(await stage.until(uuid, "failed", "finished")).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("scripted refusal"),
    })
    await noStrays(uuid)
  })

  it("can be stopped while it tries again and again in silence", async () => {
    const seen = () => model.requests.filter(({ all }) => all.includes("scripted overload")).length
    const uuid = await start([{ error: { status: 529, type: "overloaded_error", message: "scripted overload" } }])
    await waitFor(async () => seen() > 1 || (await stage.run(uuid)).state === "failed", 60_000)
    await stage.json("runs", "stop", uuid)
    await stage.until(uuid, "stopped", "failed")
    await noStrays(uuid)
  })

  if (one.child !== undefined)
    it("lets its sub-agent ask a person too", async () => {
      const inner = does([asking("echo red > by-child.txt")], { text: "Seen." })
      const uuid = await start([[one.child?.(inner)], DONE], ask)
      await answer(uuid, { decision: "approve" })
      expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished" })
      expect(file(uuid, "by-child.txt")).toBe("red")
      expect((await stage.transcript(uuid)).some(({ child }) => child !== null)).toBe(true)
    })

  it.each(["agent", "server"] as const)("is taken up again after its %s was killed", async (victim) => {
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
  })

  it("goes on after its runner was killed, and says that it does not reach Chorus's tools where it does not", async () => {
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
    await waitFor(() => apart.strays(uuid).length === 0, 60_000, "its processes to end")
    await runner.end()
  })
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
