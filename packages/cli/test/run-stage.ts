import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { OutputOf, runs, runTranscript } from "@chorus/contracts"
import { markedProcesses, RUN_MARK } from "@chorus/runs"
import { runningServer } from "@chorus/server"
import { CHORUS_MAIN, temporaryDirectory, waitFor } from "@chorus/testing"
import { chorusJson, type RunningChorus, startChorus } from "./chorus-process.ts"

const PATIENCE = 120_000

export type Row = runs.RunRow
export type Entry = OutputOf<typeof runTranscript.getTranscript>["entries"][number]

export interface Stage extends AsyncDisposable {
  readonly data: string
  readonly repository: string
  url(): string
  /** As the person who owns the place, through the command. */
  json<T>(...args: string[]): Promise<T>
  call<T>(name: string, input: object): Promise<T>
  /** The calls of an agent that leads and builds, with a key of its own. */
  agent(): Promise<<T>(name: string, input: object) => Promise<T>>
  git(...args: string[]): string
  /** In its own project, or in another one. */
  task(
    description: string,
    more?: { readonly projectUuid?: string; readonly [field: string]: unknown },
  ): Promise<string>
  start(taskUuid: string, ...args: string[]): Promise<Row>
  /** The same as the page does it, with a program that speaks ACP. */
  begin(taskUuid: string, more: { readonly command: string }): Promise<Row>
  run(uuid: string): Promise<Row>
  until(uuid: string, ...states: runs.RunState[]): Promise<Row>
  transcript(uuid: string): Promise<Entry[]>
  strays(uuid: string): number[]
  /** Kills the server, or ends it in good order, and starts it again. */
  restart(signal?: NodeJS.Signals): Promise<void>
}

export interface StageOptions {
  /** What `chorus runner allow` is told beside the folder. */
  readonly allow: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Further arguments of `chorus start`. */
  readonly start?: readonly string[]
}

/** An empty data folder, a server as `npm start` runs it, a repository, and what a person types to allow it. */
export async function openStage({ allow, env = {}, start = [] }: StageOptions): Promise<Stage> {
  const home = temporaryDirectory("runs-")
  const data = join(home.path, "data")
  const repository = join(home.path, "shop")
  mkdirSync(repository)
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: repository, encoding: "utf8", env: gitEnvironment(home.path) }).trim()
  git("init", "-q", "-b", "main")
  writeFileSync(join(repository, "README.md"), "# Shop\n")
  git("add", "-A")
  git("commit", "-q", "-m", "Begin")
  const begin = () => startChorus(["--data", data, ...start], env)
  let server: RunningChorus = await begin()
  const json = <T>(...args: string[]) => chorusJson<T>([...args, "--data", data])
  // What the command itself uses; a process for every look would be most of the test.
  const call = async <T>(name: string, input: object) => {
    const { url, token: key } = await waitFor(() => runningServer(data), PATIENCE, "the server's address")
    return (await createClient({ url, key }).send(name, input)) as T
  }
  await json("runner", "allow", repository, ...allow)
  const { uuid: projectUuid } = await json<{ uuid: string }>("project", "add", "Shop")
  const run = (uuid: string) => call<Row>("chorus_get_run", { runUuid: uuid })
  return {
    data,
    repository,
    url: () => server.url,
    json,
    call,
    async agent() {
      const made = { name: `Bea ${Math.random()}`, presets: ["lead", "developer"] }
      const { uuid: agentUuid } = await call<{ uuid: string }>("chorus_create_agent", made)
      const { key } = await call<{ key: string }>("chorus_create_key", { agentUuid, name: "test" })
      const client = createClient({ url: server.url, key })
      return async <T>(name: string, input: object) => (await client.send(name, input)) as T
    },
    git,
    async task(description, { projectUuid: of = projectUuid, ...more } = {}) {
      const made = await call<{ tasks: { uuid: string }[] }>("chorus_create_tasks", {
        projectUuid: of,
        tasks: [
          { title: "Paint the door", description, acceptanceCriteriaItems: [{ description: "it is red" }], ...more },
        ],
      })
      return made.tasks[0]?.uuid ?? ""
    },
    start: (taskUuid, ...args) => json<Row>("runs", "start", taskUuid, ...args),
    begin: (taskUuid, more) => call<Row>("chorus_start_run", { taskUuid, program: "command", ...more }),
    run,
    until: async (uuid, ...states) => {
      let seen: Row | undefined
      return waitFor(
        async () => {
          seen = await run(uuid)
          return states.includes(seen.state) ? seen : undefined
        },
        PATIENCE,
        () => `${states.join(" or ")}; it is ${seen?.state}: ${seen?.reason ?? ""}`,
        100,
      )
    },
    transcript: async (runUuid) =>
      (await call<{ entries: Entry[] }>("chorus_get_transcript", { runUuid })).entries.toSorted(
        (a, b) => a.place - b.place,
      ),
    strays: (uuid) => markedProcesses(RUN_MARK, uuid),
    async restart(signal = "SIGTERM") {
      await server.end(signal)
      server = await begin()
    },
    [Symbol.asyncDispose]: async () => {
      await server.end().catch(() => undefined)
      await home.remove()
    },
  }
}

/** `chorus runner` as a process of its own. */
export function startRunnerProcess(data: string, env: NodeJS.ProcessEnv = {}) {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [CHORUS_MAIN, "runner", "--data", data], {
    env: { PATH, HOME, TMPDIR, NO_COLOR: "1", ...env },
    stdio: "ignore",
  })
  // A test that fails does not come to the point where it ends its runner.
  const forget = () => child.kill("SIGKILL")
  process.once("exit", forget)
  const ended = new Promise<void>((gone) => child.once("exit", () => gone()))
  void ended.then(() => process.off("exit", forget))
  return {
    pid: child.pid ?? 0,
    async end(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal)
      await ended
    },
  }
}

function gitEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.test",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.test",
  }
}
