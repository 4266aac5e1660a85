import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { StatusRow } from "@chorus/contracts"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { startStatusService } from "../src/listener/status-service.ts"
import { resumeStore } from "../src/resume/resume-store.ts"

const program = (name: string) => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

/** An agent that says what it is told to say, by the hook program named, until it is told to end. */
const AGENT = `while read -r line; do case $line in end) exit 0;; *) printf %s "$line" | "$EMIT";; esac; echo said; done`

describe.each(["emit.pl", "emit.cjs"])("words that %s brings while nobody listens", (emitter) => {
  it("count once somebody does: a run that ended well meanwhile did not fail", async () => {
    const desk = await openDesk(emitter)
    const first = await desk.listen()
    const agent = desk.launch()
    await agent.say({ hook_event_name: "UserPromptSubmit", session_id: "s1", prompt: "Mend the door" })
    await waitFor(
      () => desk.seen.at(-1)?.state === "running",
      60_000,
      () => JSON.stringify(desk.seen),
    )
    await first.close()

    await agent.say({ hook_event_name: "Stop", session_id: "s1", last_assistant_message: "Mended." })
    await agent.end()
    await desk.listen()
    await waitFor(
      () => desk.seen.at(-1)?.reason === "the session has ended",
      60_000,
      () => JSON.stringify(desk.seen),
    )
    expect(desk.seen.at(-1)).toMatchObject({
      state: "finished",
      exitCode: 0,
      title: "Mend the door",
      summary: "Mended.",
    })
  })

  it("count for the first listener too: where the agent is, and what it does", async () => {
    const desk = await openDesk(emitter)
    const agent = desk.launch()
    await agent.say({ hook_event_name: "UserPromptSubmit", session_id: "s1", prompt: "Mend the door" })
    const service = await desk.listen()
    const known = () => service.listener.book.get("t1")?.status
    await waitFor(
      () => known()?.state === "running" && known()?.folder === desk.folder,
      60_000,
      () => JSON.stringify(known()),
    )
    expect(known()?.title).toBe("Mend the door")
    await agent.end()
  })
})

it("a question that nobody heard can be answered from elsewhere once somebody listens", async () => {
  const desk = await openDesk("emit.pl")
  const asking = spawn(program("emit.pl"), ["await"], { env: desk.env, stdio: ["pipe", "pipe", "ignore"] })
  asking.stdin.end(
    JSON.stringify({ hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command: "make" } }),
  )
  // One that began later has found nobody and stepped aside, so this one has found nobody too.
  execFileSync(program("emit.pl"), { input: JSON.stringify({ hook_event_name: "SessionStart" }), env: desk.env })
  const { listener } = await desk.listen()
  const ask = await waitFor(() => listener.book.rows()[0]?.ask, 60_000, "the question")
  expect(ask).toMatch(/^claude-\d+-/)
  listener.book.forget("t1")
  expect(await once(asking, "exit")).toEqual([0, null])
})

it("nobody waits for a listener that nobody asked for", () => {
  const folder = temporaryDirectory("chorus-unheard-")
  onTestFinished(folder.remove)
  const env = { CHORUS_SOCK: join(folder.path, "s"), CHORUS_TERMINAL_ID: "t1", CHORUS_AGENT: "claude" }
  for (const name of ["emit.pl", "emit.cjs"]) {
    const path = process.env["PATH"] ?? ""
    execFileSync(program(name), { input: '{"hook_event_name":"Stop"}', env: { ...env, PATH: path } })
  }
  expect(execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })).not.toContain(folder.path)
})

async function openDesk(emitter: string) {
  const directory = temporaryDirectory("chorus-unheard-")
  onTestFinished(directory.remove)
  const path = join(directory.path, "s")
  // As whoever has asked for a listener leaves it.
  writeFileSync(`${path}.log`, "")
  const seen: StatusRow[] = []
  const env = {
    PATH: process.env["PATH"] ?? "",
    CHORUS_SOCK: path,
    CHORUS_TERMINAL_ID: "t1",
    CHORUS_AGENT: "claude",
    EMIT: program(emitter),
  }
  return {
    env,
    seen,
    folder: directory.path,
    async listen() {
      const service = await startStatusService({
        socketPath: path,
        home: path,
        resume: resumeStore(join(directory.path, "state")),
        forwarders: [{ changed: (row) => seen.push(row) }],
      })
      onTestFinished(service.close)
      return service
    },
    launch() {
      const child = spawn(program("launch.pl"), ["/bin/sh", "-c", AGENT], {
        env,
        cwd: directory.path,
        stdio: ["pipe", "pipe", "inherit"],
      })
      onTestFinished(() => void child.kill("SIGKILL"))
      return {
        async say(payload: object) {
          child.stdin.write(`${JSON.stringify(payload)}\n`)
          await once(child.stdout, "data")
        },
        async end() {
          child.stdin.write("end\n")
          expect(await once(child, "exit")).toEqual([0, null])
        },
      }
    },
  }
}
