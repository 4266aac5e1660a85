import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { startStatusService } from "@chorus/status"
import { bodyOf, openTeam, requestShutdown, type Team } from "@chorus/teams"
import { CHORUS_MAIN, freePort, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, expect, it } from "vitest"
import { chorus, cleanEnvironment, type RunningChorus, startChorus } from "./chorus-process.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
const KILLS = STRESS ? 100 : 3
const PATIENCE = 120_000
const UNDER_WAY = 6
const ECHO = join(import.meta.dirname, "..", "..", "teams", "test", "workers", "echo-agent.ts")
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

it(
  "a team on two machines: joined by the command, the same files on both, claims with one winner, each message once and in order whoever is killed",
  { timeout: STRESS ? 3_600_000 : 300_000 },
  async () => {
    const home = temporaryDirectory().path
    const data = join(home, "server")
    const port = await freePort()
    const start = () => startChorus(["--data", data, "--port", String(port)])
    let server: RunningChorus = await start()
    cleanups.push(() => server.end("SIGKILL"))
    const desk = await machine(home, data, server.url, "desk")
    const laptop = await machine(home, data, server.url, "laptop")

    // As the page of the books has it: made on one machine, joined from the other.
    await desk.run("team", "create", "garden")
    await desk.run("team", "tasks", "add", "Dig the bed")
    await desk.run("team", "tasks", "add", "Plant the roses", "--after", "1")
    await laptop.run("team", "join", "--on", "desk", "--team", "garden", "--as", "rose")
    const [here, there] = [
      await openTeam("garden", { root: desk.root }),
      await openTeam("garden", { root: laptop.root }),
    ]
    expect((await there.config()).members.map(({ name }) => name)).toEqual(["team-lead", "rose"])
    expect((await here.config()).members.map(({ name }) => name)).toEqual(["team-lead", "rose"])
    expect(await there.tasks()).toEqual(await here.tasks())
    await expect(laptop.run("team", "join", "--on", "desk", "--team", "garden", "--as", "rose")).rejects.toThrow(
      /name_taken/,
    )
    await expect(laptop.run("team", "join", "--on", "attic", "--team", "garden", "--as", "rose")).rejects.toThrow(
      /not_found/,
    )

    // A claim is the host's to grant: whoever it was from, the other learns who won, and both see it.
    await laptop.run("team", "claim", "1", "--as", "rose")
    expect((await here.task("1")).owner).toBe("rose")
    expect((await there.task("1")).owner).toBe("rose")
    await expect(desk.run("team", "claim", "1", "--as", "team-lead")).rejects.toThrow(/belongs to rose/)
    await desk.run("team", "tasks", "set", "1", "--status", "completed")
    await waitFor(async () => (await there.task("1")).status === "completed", PATIENCE, "the other machine to see it")
    await desk.run("team", "claim", "2", "--as", "team-lead")
    await expect(laptop.run("team", "claim", "2", "--as", "rose")).rejects.toThrow(/belongs to team-lead/)

    // An agent there lives in the team as one here does: it is heard, answers, and goes when the lead asks.
    const fern = ["join", "--on", "desk", "--team", "garden", "--as", "fern", "--host", "--program", "command"]
    await laptop.run("team", ...fern, "--prompt", "Begin.", "--", process.execPath, ECHO)
    const answers = (words: string) => async () =>
      (await here.unread("team-lead")).some(({ entry }) => entry.from === "fern" && entry.text === words)
    await waitFor(answers("ECHO BEGIN."), PATIENCE, "its first answer")
    await desk.run("team", "send", "--team", "garden", "--to", "fern", "Water the beds.")
    await waitFor(answers("ECHO WATER THE BEDS."), PATIENCE, "its answer from afar")
    expect(JSON.parse(await desk.run("team", "shutdown", "fern", "--json"))).toMatchObject({ approved: true })
    expect((await here.config()).members.map(({ name }) => name)).toEqual(["team-lead", "rose"])
    await here.take("team-lead")

    // Nobody there speaks for the lead, and a made-up sender is turned away where it arrives.
    await expect(laptop.run("team", "send", "forged", "--from", "team-lead", "--to", "rose")).rejects.toThrow(
      /not_the_lead/,
    )

    const stop = new AbortController()
    const readers = { lead: readInbox(here, "team-lead"), rose: readInbox(there, "rose") }
    cleanups.push(
      () => readers.lead.close(),
      () => readers.rose.close(),
    )
    const said = { lead: [] as string[], rose: [] as string[] }
    const made: string[] = []
    const work = [
      talk(here, "team-lead", "rose", said.lead, readers.rose.words),
      talk(there, "rose", "team-lead", said.rose, readers.lead.words),
      addTasks(),
    ]
    const killed = { server: 0, desk: 0, laptop: 0 }
    for (let kills = 0; kills < KILLS; kills++) {
      const before = [readers.lead.words.length, readers.rose.words.length, made.length]
      const moved = () =>
        readers.lead.words.length > (before[0] ?? 0) &&
        readers.rose.words.length > (before[1] ?? 0) &&
        made.length > (before[2] ?? 0)
      await waitFor(moved, PATIENCE, "words both ways, and a task")
      await new Promise((wake) => setTimeout(wake, Math.random() * 150))
      const victim = (["desk", "laptop", "server"] as const)[kills % 3] ?? "desk"
      killed[victim]++
      if (victim === "desk") await desk.kill()
      if (victim === "laptop") await laptop.kill()
      if (victim !== "server") continue
      await server.end("SIGKILL")
      server = await start()
    }
    stop.abort()
    await Promise.all(work)
    for (const [who, whose] of [
      ["rose", "lead"],
      ["lead", "rose"],
    ] as const) {
      await waitFor(() => readers[who].words.length >= said[whose].length, PATIENCE, `${who} to hear all`)
      expect(readers[who].words).toEqual(said[whose])
    }
    const subjects = async (team: Team) => (await team.tasks()).map(({ subject }) => subject).slice(2)
    expect(await subjects(here)).toEqual(made)
    await waitFor(async () => (await subjects(there)).length === made.length, PATIENCE, "the tasks there")
    expect(await there.tasks()).toEqual(await here.tasks())
    console.log(
      `${KILLS} kills (${JSON.stringify(killed)}): ${said.lead.length + said.rose.length} messages between two machines, ` +
        `each once and in order; ${made.length} tasks added from afar, each once`,
    )

    // The lead asks it to go; with its last member the team leaves that machine.
    const { request_id } = await requestShutdown(here, { from: "team-lead", to: "rose" })
    await waitFor(() => readers.rose.bodies.includes(request_id), PATIENCE, "rose to be asked")
    await readers.rose.close()
    await laptop.run("team", "leave", "--as", "rose")
    expect((await here.config()).members.map(({ name }) => name)).toEqual(["team-lead"])
    await waitFor(() => !existsSync(there.paths.config), PATIENCE, "the team to leave that machine")

    async function talk(
      team: Team,
      from: string,
      to: string,
      words: string[],
      heard: readonly string[],
    ): Promise<void> {
      for (let n = 0; !stop.signal.aborted; n++) {
        const text = `${from} ${n}`
        await team.deliver({ from, to, text })
        words.push(text)
        await waitFor(() => words.length - heard.length < UNDER_WAY, PATIENCE, `${to} to hear ${from}`)
      }
    }

    /** A change that is asked for again after a kill would show as a second task. */
    async function addTasks(): Promise<void> {
      for (let n = 0; !stop.signal.aborted; n++) {
        await there.createTask({ subject: `Bed ${n}`, description: "" })
        made.push(`Bed ${n}`)
      }
    }
  },
)

interface Machine {
  readonly root: string
  /** Runs the command there; what it says on the error stream is the error. */
  run(...args: string[]): Promise<string>
  /** Kills its companion and starts another. */
  kill(): Promise<void>
}

/** A machine of its own: another home, another companion, under a key that a person made for it. */
async function machine(home: string, data: string, url: string, name: string): Promise<Machine> {
  const place = join(home, name)
  mkdirSync(join(place, "home"), { recursive: true })
  const root = join(place, "claude")
  const status = await startStatusService({ socketPath: join(place, "status.sock"), home: place })
  cleanups.push(() => status.close())
  const env = { HOME: join(place, "home"), CLAUDE_CONFIG_DIR: root, CHORUS_SOCK: join(place, "status.sock") }
  const added = await chorus(["agent", "add", name, "--data", data, "--json"])
  const { key } = JSON.parse(added.stdout) as { key: string }
  const begin = (): ChildProcess =>
    spawn(
      process.execPath,
      [CHORUS_MAIN, "companion", "--url", url, "--key", key, "--data", join(place, "chorus"), "--machine", name],
      { env: cleanEnvironment(env), stdio: ["ignore", "ignore", "inherit"] },
    )
  let companion = begin()
  cleanups.push(() => companion.kill("SIGKILL"))
  const { token } = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as { token: string }
  const { call } = createClient({ url, key: token })
  const known = async () => (await call("chorus_list_machines", {})).machines.some((one) => one.name === name)
  await waitFor(known, PATIENCE, `${name} to report`)
  return {
    root,
    async run(...args) {
      const { code, stdout, stderr } = await chorus(args, env)
      if (code !== 0) throw new Error(stderr)
      return stdout
    },
    async kill() {
      expect([companion.exitCode, companion.signalCode], "it runs until it is killed").toEqual([null, null])
      const ended = once(companion, "exit")
      companion.kill("SIGKILL")
      await ended
      companion = begin()
    },
  }
}

/** Takes what comes, as an agent does, so that nothing in the inbox tells what was in it before. */
function readInbox(team: Team, name: string) {
  const words: string[] = []
  const bodies: string[] = []
  const closing = new AbortController()
  const reading = (async () => {
    while (!closing.signal.aborted) {
      for (const { entry } of await team.take(name)) {
        const body = bodyOf(entry.text)
        if (body === undefined) words.push(entry.text)
        else if (body.type === "shutdown_request") bodies.push(body.requestId)
      }
      await new Promise((wake) => setTimeout(wake, 30))
    }
  })()
  return {
    words,
    bodies,
    close: async () => {
      closing.abort()
      await reading
    },
  }
}
