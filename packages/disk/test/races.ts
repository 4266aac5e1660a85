import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { StatusRow, TeamTask } from "@chorus/contracts"
import { claimSocket, readJson, replaceFile } from "@chorus/disk"
import { setEnvironment } from "../../cli/src/connect/claude-settings.ts"
import { withPluginLock } from "../../plugins/src/install/cache.ts"
import { claudeHome } from "../../plugins/src/state/index.ts"
import { changeJsonFile, readJsonFile } from "../../plugins/src/state/json-file.ts"
import { changePolicy, readPolicy } from "../../runs/src/policy.ts"
import { holdDirectory } from "../../server/src/data-directory.ts"
import { notifySettings } from "../../status/src/notify/notify-settings.ts"
import { resumeStore } from "../../status/src/resume/resume-store.ts"
import { updateConfig } from "../../teams/src/files/config-file.ts"
import { allIn } from "../../teams/src/files/inbox-file.ts"
import { changeTasks } from "../../teams/src/files/task-files.ts"
import { createTeam, openTeam } from "../../teams/src/team.ts"

export interface Signals {
  /** Says that this process is inside, and looks whether another one is too. */
  inside<T>(work: () => T): T
  /** Says that it is about to go in, where nothing of ours runs under the lock. */
  going(): void
}

/** One kind of caller: how it makes its n-th change, and how many changes of a process are there in the end. */
export interface Race {
  prepare?(folder: string): Promise<unknown>
  change(folder: string, name: string, n: number, signals: Signals): Promise<unknown>
  found(folder: string, name: string): Promise<number> | number
}

export const RACES: Readonly<Record<string, Race>> = {
  "the plugins' records": {
    change: (folder, name, _n, { inside }) =>
      changeJsonFile({ config: folder }, join(folder, "state.json"), (content) => inside(() => count(content, name))),
    found: (folder, name) => counted(readJsonFile(join(folder, "state.json")), name),
  },
  "the files of a plugin": {
    change: (folder, name, _n, { inside }) =>
      withPluginLock(claudeHome({ env: { HOME: folder } }), "tools@shop", async () =>
        inside(() => countIn(folder, name)),
      ),
    found: (folder, name) => counted(readJson(join(folder, "count.json")), name),
  },
  "what a machine allows": {
    change: (folder, name, n, { inside }) =>
      changePolicy(folder, (policy) =>
        inside(() => ({ ...policy, environment: [...policy.environment, `${name}_${n}`] })),
      ),
    found: (folder, name) =>
      (readPolicy(folder)?.environment ?? []).filter((word) => word.startsWith(`${name}_`)).length,
  },
  "a team's roster": {
    prepare: (folder) => createTeam({ name: "t" }, { root: folder }),
    change: async (folder, name, _n, { inside }) =>
      updateConfig((await openTeam("t", { root: folder })).paths, (config) => inside(() => count({ ...config }, name))),
    found: async (folder, name) => counted(await (await openTeam("t", { root: folder })).config(), name),
  },
  "a team's inbox": {
    prepare: async (folder) => (await createTeam({ name: "t" }, { root: folder })).join({ name: "bob" }),
    async change(folder, name, n, { going }) {
      going()
      await (await openTeam("t", { root: folder })).deliver({ from: name, to: "bob", text: String(n) })
    },
    async found(folder, name) {
      const entries = await allIn((await openTeam("t", { root: folder })).paths, "bob")
      return new Set(entries.flatMap(({ entry }) => (entry.from === name ? [entry.text] : []))).size
    },
  },
  "a team's task list": {
    prepare: (folder) => createTeam({ name: "t" }, { root: folder }),
    async change(folder, name, n, { inside }) {
      let isHeld = false
      // One is made and the one before it deleted, which takes the locks of the list and of that file; its number is not given again.
      const decide = (tasks: ReadonlyMap<string, TeamTask>, id: string) => {
        const before = [...tasks.values()].find(({ subject }) => subject === `${name} ${n - 1}`)
        if (before === undefined && n > 1) throw new Error(`task ${n - 1} of ${name} is lost`)
        const task: TeamTask = {
          id,
          subject: `${name} ${n}`,
          description: "",
          status: "pending",
          blocks: [],
          blockedBy: [],
        }
        return { write: [task], remove: before === undefined ? [] : [before.id], result: undefined }
      }
      await changeTasks((await openTeam("t", { root: folder })).paths, (tasks, id) => {
        // The first time it only says which locks it needs.
        if (isHeld) return inside(() => decide(tasks, id))
        isHeld = true
        return decide(tasks, id)
      })
    },
    async found(folder, name) {
      const tasks = await (await openTeam("t", { root: folder })).tasks()
      const own = tasks.map(({ subject }) => subject.split(" ")).filter(([whose]) => whose === name)
      return Math.max(0, ...own.map(([, number]) => Number(number)))
    },
  },
  "what terminals come back with": {
    prepare: (folder) => resumeStore(folder).turn("claude", true),
    async change(folder, name, n, { going }) {
      if (lastOf(folder, name) !== n - 1) throw new Error(`session ${n - 1} of ${name} is lost`)
      going()
      await resumeStore(folder).record(lastRow(name, n))
    },
    found: lastOf,
  },
  "which calls a person wants": {
    async change(folder, name, n, { going }) {
      going()
      await notifySettings(folder).turn(`${name}_${n}`, true)
    },
    found(folder, name) {
      const settings = readJson(join(folder, "notify.json")) as Record<string, boolean>
      return Object.keys(settings).filter((key) => key.startsWith(`${name}_`)).length
    },
  },
  "the settings that connecting writes": {
    async change(folder, name, n, { going }) {
      going()
      await setEnvironment(folder, { [`${name}_${n}`]: "there" })
    },
    found(folder, name) {
      const { env } = readJson(join(folder, "settings.json")) as { env: Record<string, string> }
      return Object.keys(env).filter((key) => key.startsWith(`${name}_`)).length
    },
  },
  "the data directory, which is the companion's too": {
    async change(folder, name, _n, { inside }) {
      const held = await untilFree(() => holdDirectory(join(folder, "data")), "data_in_use")
      inside(() => countIn(folder, name))
      held.release()
    },
    found: (folder, name) => counted(readJson(join(folder, "count.json")), name),
  },
  "the listener's socket": {
    async change(folder, name, _n, { inside }) {
      const server = createServer((socket) => socket.destroy())
      await untilFree(() => claimSocket(server, join(folder, "s.sock")), "listener_running")
      inside(() => countIn(folder, name))
      await new Promise((closed) => server.close(closed))
    },
    found: (folder, name) => counted(readJson(join(folder, "count.json")), name),
  },
}

function counted(content: unknown, name: string): number {
  return Number((content as Record<string, unknown> | undefined)?.[name] ?? 0)
}

/** A session of a terminal that is called as the process, of which the latest is kept. */
function lastRow(name: string, at: number): StatusRow {
  return {
    terminalId: name,
    agent: "claude",
    state: "running",
    since: at,
    source: "line",
    title: null,
    detail: null,
    summary: null,
    exitCode: null,
    resumeCommand: `claude --resume ${name}`,
    reason: null,
    outside: false,
    ask: null,
    asks: null,
    folder: null,
    unread: false,
    ended: false,
  }
}

function lastOf(folder: string, name: string): number {
  const entry = resumeStore(folder)
    .list()
    .find(({ terminalId }) => terminalId === name)
  return entry?.at ?? 0
}

function count<T extends Record<string, unknown>>(content: T, name: string): T {
  return Object.assign(content, { [name]: counted(content, name) + 1 })
}

/** Whoever holds the claim changes this as if there were nobody else. */
function countIn(folder: string, name: string): void {
  const path = join(folder, "count.json")
  replaceFile(path, JSON.stringify(count((readJson(path) ?? {}) as Record<string, unknown>, name)), { fleeting: true })
}

async function untilFree<T>(claim: () => T | Promise<T>, taken: string): Promise<T> {
  for (;;) {
    try {
      return await claim()
    } catch (error) {
      if ((error as { code?: unknown }).code !== taken) throw error
      await pause(Math.random() * 5)
    }
  }
}
