import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { CHORUS_MAIN, isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { type Heard, listen, runHook } from "./hook-run.ts"

const start = (session: string) => ({
  session_id: session,
  cwd: "/",
  hook_event_name: "SessionStart",
  source: "startup",
})
const stop = (session: string) => ({
  session_id: session,
  cwd: "/",
  hook_event_name: "SubagentStop",
  agent_id: "a1",
  agent_type: "general-purpose",
  last_assistant_message: "DONE",
})
const greeting = ({ body, reply }: Heard) =>
  reply(body["hook_event_name"] === "SessionStart" ? { systemMessage: "Chorus: Dev" } : {})
const told = (heard: readonly Heard[]) =>
  heard.map(({ body }) => `${String(body["hook_event_name"])} ${String(body["session_id"])}`)

/** A process that stands for an agent's program, and one that has been killed. */
function program(): ChildProcess & { pid: number } {
  return spawn("sleep", ["600"], { stdio: "ignore" }) as ChildProcess & { pid: number }
}
async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL")
  await waitFor(() => !isRunning(pid))
}
const sessionFile = (project: string, session: string) => join(project, ".chorus", "claude", "sessions", session)
const watcherOf = (project: string, session: string) =>
  Number(readFileSync(sessionFile(project, session), "utf8").split("\n")[3]?.split(" ")[0])

async function machine() {
  const directory = temporaryDirectory("machine-")
  const folder = (name: string) => {
    mkdirSync(join(directory.path, name), { recursive: true })
    return join(directory.path, name)
  }
  const notes = join(directory.path, "home", ".local", "state", "chorus", "folders")
  const env = (more: Record<string, string> = {}) => ({ HOME: folder("home"), CHORUS_BEAT_SECONDS: "1", ...more })
  return { folder, notes, env, [Symbol.asyncDispose]: () => directory.remove() }
}

describe("a program that is watched over", () => {
  it("is said to run, as which process, and to have died as soon as it has; nothing is left", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const [project, agent] = [m.folder("shop"), program()]
    await runHook(start("s1"), { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) })
    const beats = () => server.heard.filter(({ body }) => body["hook_event_name"] === "Beat")
    await waitFor(() => beats().length >= 2)
    expect(beats()[0]?.body).toMatchObject({ session_id: "s1", process: expect.stringMatching(`^${agent.pid}-\\d+$`) })
    expect(server.heard[0]?.body).toMatchObject({ process: beats()[0]?.body["process"] })
    expect(statSync(join(m.notes, readdirSync(m.notes)[0] ?? "")).mode & 0o077).toBe(0)
    const watcher = watcherOf(project, "s1")
    await kill(agent.pid)
    await waitFor(() => told(server.heard).at(-1) === "SessionEnd s1")
    expect(server.heard.at(-1)?.body).toMatchObject({ reason: "crashed" })
    await waitFor(() => !isRunning(watcher) && !existsSync(join(project, ".chorus")) && !existsSync(m.notes))
  })

  it("has no watcher any more once its key was taken away: what is kept waits for another one", async () => {
    await using m = await machine()
    let isGood = true
    await using server = await listen((heard, response) =>
      isGood ? greeting(heard) : void response.writeHead(401).end("{}"),
    )
    const [project, agent] = [m.folder("shop"), program()]
    await runHook(start("s1"), { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) })
    const watcher = watcherOf(project, "s1")
    isGood = false
    await kill(agent.pid)
    await waitFor(() => !isRunning(watcher))
    expect(readdirSync(join(project, ".chorus", "claude", "spool"))).toHaveLength(1)
  })

  it("has the state of the last minute on its prompts, not that of its start", async () => {
    await using m = await machine()
    let state = "Chorus: Dev, 0 tasks"
    await using server = await listen(({ body, reply }) =>
      reply(["SessionStart", "Beat"].includes(String(body["hook_event_name"])) ? { systemMessage: state } : {}),
    )
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    await runHook(start("s1"), options)
    const watcher = watcherOf(project, "s1")
    state = 'Chorus: Dev, 1 task; sent back: SHOP-2 "Guest pay"'
    const prompt = { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "hello" }
    await waitFor(async () => (await runHook(prompt, options)).stdout.includes("sent back: SHOP-2"))
    expect(watcherOf(project, "s1")).toBe(watcher)
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
    await waitFor(() => !isRunning(watcher))
    expect(existsSync(join(project, ".chorus")) || existsSync(m.notes)).toBe(false)
    await kill(agent.pid)
  })

  it("is told at its next prompt, once, that its key was taken away", async () => {
    await using m = await machine()
    let isGood = true
    await using server = await listen((heard, response) =>
      isGood ? greeting(heard) : void response.writeHead(401).end("{}"),
    )
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    await runHook(start("s1"), options)
    isGood = false
    const refusals = () => server.heard.filter(({ body }) => body["hook_event_name"] === "Beat").length
    await waitFor(() => existsSync(join(project, ".chorus", "claude", "news", "s1")))
    const before = refusals()
    await waitFor(() => refusals() > before + 1)
    const prompt = { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "hello" }
    const told = JSON.parse((await runHook(prompt, options)).stdout) as {
      hookSpecificOutput: { additionalContext: string }
    }
    expect(
      told.hookSpecificOutput.additionalContext.match(/accepts the key.*told once there is a new key.*connect claude/g),
    ).toHaveLength(1)
    expect(told.hookSpecificOutput.additionalContext).not.toContain("Chorus: Dev")
    expect((await runHook(prompt, options)).stdout).toBe("")
    const watcher = watcherOf(project, "s1")
    await kill(agent.pid)
    await waitFor(() => !isRunning(watcher))
  })

  it("that begins with a key that is not accepted tells its model so at once, and no second time", async () => {
    await using m = await machine()
    await using server = await listen((_heard, response) => void response.writeHead(401).end("{}"))
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    const told = JSON.parse((await runHook(start("s1"), options)).stdout) as Record<string, Record<string, string>>
    expect(told["hookSpecificOutput"]).toEqual({
      hookEventName: "SessionStart",
      additionalContext: expect.stringMatching(/does not accept the API key;.*chorus connect claude. Tell your person/),
    })
    await waitFor(() => server.heard.filter(({ body }) => body["hook_event_name"] === "Beat").length >= 2)
    expect(existsSync(join(project, ".chorus", "claude", "news"))).toBe(false)
    const watcher = watcherOf(project, "s1")
    await kill(agent.pid)
    await waitFor(() => !isRunning(watcher))
  })

  it("and began without a server is said to have died all the same, once one has answered", async () => {
    await using m = await machine()
    let isUp = false
    await using server = await listen((heard, response) =>
      isUp
        ? heard.reply(heard.body["hook_event_name"] === "Beat" ? { systemMessage: "Chorus: Dev" } : {})
        : response.destroy(),
    )
    const [project, agent] = [m.folder("shop"), program()]
    await runHook(start("s1"), { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) })
    isUp = true
    const beats = () => server.heard.filter(({ body }) => body["hook_event_name"] === "Beat").length
    const before = beats()
    await waitFor(() => beats() > before)
    await kill(agent.pid)
    await waitFor(() => told(server.heard).at(-1) === "SessionEnd s1")
    await waitFor(() => !existsSync(join(project, ".chorus")))
  })

  it("and died before any server answered is said to have died after what it had said", async () => {
    await using m = await machine()
    let isUp = false
    await using server = await listen((heard, response) => (isUp ? heard.reply() : response.destroy()))
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    await runHook(start("s1"), options)
    await runHook(stop("s1"), options)
    await kill(agent.pid)
    await waitFor(() => !existsSync(sessionFile(project, "s1")))
    server.heard.length = 0
    isUp = true
    await waitFor(() => !existsSync(join(project, ".chorus")))
    expect(told(server.heard)).toEqual(["SubagentStop s1", "SessionEnd s1"])
    expect(server.heard.at(-1)?.body).toMatchObject({ reason: "crashed", cwd: "/" })
  })

  it("that ends in good order takes its watcher along, and one that starts again keeps it", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    await runHook(start("s1"), options)
    const watcher = watcherOf(project, "s1")
    await runHook({ ...start("s1"), source: "compact" }, options)
    expect(watcherOf(project, "s1")).toBe(watcher)
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
    await waitFor(() => !isRunning(watcher))
    expect(existsSync(join(project, ".chorus")) || existsSync(m.notes)).toBe(false)
    await kill(agent.pid)
  })

  it("with a server that comes back tells what was kept, and nobody has to begin a session for it", async () => {
    await using m = await machine()
    let up = false
    await using server = await listen((heard, response) => (up ? greeting(heard) : response.destroy()))
    const [project, agent] = [m.folder("shop"), program()]
    const options = { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) }
    await runHook(start("s1"), options)
    await runHook(stop("s1"), options)
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
    await kill(agent.pid)
    server.heard.length = 0
    up = true
    await waitFor(() => !existsSync(join(project, ".chorus")))
    const events = told(server.heard).filter((line) => !line.startsWith("Beat"))
    expect([...new Set(events)]).toEqual(["SubagentStop s1", "SessionEnd s1"])
  })
})

/** One folder in which a session died together with its watcher, and one in which an end was never told. */
async function leftAlone(m: Awaited<ReturnType<typeof machine>>, url: string) {
  const [died, kept, agent] = [m.folder("died"), m.folder("kept"), program()]
  await runHook(start("dead"), { project: died, url, env: m.env({ CLAUDE_PID: String(agent.pid) }) })
  const watcher = watcherOf(died, "dead")
  await kill(watcher)
  await kill(agent.pid)
  // What was kept is told with the beginning of its transcript.
  const agent_transcript_path = join(m.folder("transcripts"), "kept.jsonl")
  writeFileSync(agent_transcript_path, `${JSON.stringify({ message: { role: "user", content: "Do it." } })}\n`)
  await runHook({ ...stop("kept"), agent_transcript_path }, { project: kept, url: "http://127.0.0.1:9", env: m.env() })
  // Chorus has moved since; the note says where to.
  for (const name of readdirSync(m.notes)) {
    const note = join(m.notes, name)
    writeFileSync(note, readFileSync(note, "utf8").replace("http://127.0.0.1:9", url))
  }
  return { died, kept }
}
const ENDS = ["SessionEnd dead", "SubagentStop kept"]

describe("what lies in any folder of the machine", () => {
  it("is told by the next session, wherever that begins", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const { died, kept } = await leftAlone(m, server.url)
    const [project, agent] = [m.folder("elsewhere"), program()]
    await runHook(start("new"), { project, url: server.url, env: m.env({ CLAUDE_PID: String(agent.pid) }) })
    await waitFor(() => ENDS.every((line) => told(server.heard).includes(line)))
    await waitFor(() => [died, kept].every((folder) => !existsSync(join(folder, ".chorus"))))
    await kill(agent.pid)
    await waitFor(() => !existsSync(m.notes))
  })

  it("is told by any chorus command", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const { died, kept } = await leftAlone(m, server.url)
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: m.folder("home") }
    await promisify(execFile)(process.execPath, [CHORUS_MAIN, "doctor", "--data", join(m.folder("home"), "no-data")], {
      env,
    })
    await waitFor(() => ENDS.every((line) => told(server.heard).includes(line)))
    await waitFor(() => [died, kept].every((folder) => !existsSync(join(folder, ".chorus"))) && !existsSync(m.notes))
  })

  it("is told within seconds by the watcher of its session, however seldom that says that it runs", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const [project, agent] = [m.folder("shop"), program()]
    const env = m.env({ CLAUDE_PID: String(agent.pid), CHORUS_BEAT_SECONDS: "600" })
    await runHook(start("killed"), { project, url: server.url, env })
    await kill(agent.pid)
    await waitFor(() => told(server.heard).includes("SessionEnd killed"))
    await waitFor(() => !existsSync(join(project, ".chorus")))
  })

  it("leaves alone who runs in another container, and whose pid only came back", async () => {
    await using m = await machine()
    await using server = await listen(greeting)
    const [project, agent] = [m.folder("shop"), program()]
    const options = {
      project,
      url: server.url,
      env: m.env({ CLAUDE_PID: String(agent.pid), CHORUS_BEAT_SECONDS: "600" }),
    }
    for (const session of ["elsewhere", "reused"]) {
      await runHook(start(session), options)
      await kill(watcherOf(project, session))
    }
    const rewrite = (session: string, change: (line: string[]) => string[]) => {
      const [first = "", ...rest] = readFileSync(sessionFile(project, session), "utf8").split("\n")
      writeFileSync(sessionFile(project, session), [change(first.split(" ")).join(" "), ...rest].join("\n"))
    }
    rewrite("elsewhere", ([, began = ""]) => ["999999999", began, "other#pid:[1]"])
    rewrite("reused", ([pid = "", , where = ""]) => [pid, "1", where])
    await runHook(start("new"), options)
    await waitFor(() => told(server.heard).includes("SessionEnd reused"))
    expect(told(server.heard)).not.toContain("SessionEnd elsewhere")
    expect(existsSync(sessionFile(project, "elsewhere"))).toBe(true)
    await kill(watcherOf(project, "new"))
    await kill(agent.pid)
  })
})
