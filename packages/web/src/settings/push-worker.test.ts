import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const source = readFileSync(join(import.meta.dirname, "..", "..", "public", "push-worker.js"), "utf8")

type Listener = (event: Record<string, unknown>) => void

interface Shown {
  readonly title: string
  readonly options: Record<string, unknown>
}

type Pages = readonly { focus(): Promise<void>; navigate(url: string): Promise<unknown> }[]

/** The worker in a browser of which only what it uses is there; `pages` are the tabs that are open, `kept` what outlives the worker. */
function start(pages: Pages = [], kept = new Map<string, unknown>()) {
  const listeners = new Map<string, Listener>()
  const shown: Shown[] = []
  const opened: string[] = []
  let isFull = false
  const self = {
    location: { origin: "https://chorus.example" },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    registration: {
      showNotification: async (title: string, options: Record<string, unknown>) => void shown.push({ title, options }),
    },
    navigator: { locks: { request: async (_: string, work: () => unknown) => work() } },
    caches: {
      open: async () => {
        if (isFull) throw new DOMException("full", "QuotaExceededError")
        return cacheOf(kept)
      },
    },
    clients: { matchAll: async () => pages, openWindow: async (url: string) => void opened.push(url) },
  }
  // oxlint-disable-next-line no-new-func -- it is no module: a browser runs it as it stands.
  new Function("self", source)(self)
  const tell = async (name: string, event: Record<string, unknown>) => {
    let waited: unknown
    listeners.get(name)?.({ waitUntil: (work: unknown) => (waited = work), ...event })
    await waited
  }
  return {
    shown,
    opened,
    fill: () => void (isFull = true),
    rings: () => shown.filter(({ options }) => options["renotify"] === true && options["silent"] === false).length,
    push: (json: () => unknown) => tell("push", { data: { json } }),
    pushNothing: () => tell("push", { data: null }),
    click: async (data: unknown) => {
      let closed = false
      await tell("notificationclick", { notification: { close: () => (closed = true), data } })
      return closed
    },
  }
}

/** A cache of the browser's, whose keys come in the order in which they were put. */
function cacheOf(kept: Map<string, unknown>) {
  return {
    match: async (url: string) => kept.get(url),
    put: async (url: string, response: unknown) => void kept.set(url, response),
    keys: async () => [...kept.keys()],
    delete: async (url: string) => kept.delete(url),
  }
}

describe("a browser that is called", () => {
  it("shows what it is called for, and once more when the same thing calls again", async () => {
    const worker = start()
    await worker.push(() => ({ title: "claude needs you", body: "Bash: npm test", tag: "terminal:1", path: "/agents" }))
    expect(worker.shown).toEqual([
      {
        title: "claude needs you",
        options: {
          body: "Bash: npm test",
          tag: "terminal:1",
          renotify: true,
          silent: false,
          icon: "/icon-192.png",
          data: { path: "/agents" },
        },
      },
    ])
  })

  it("rings once for a call that it is sent twice, also where it was started anew between, and shows it all the same", async () => {
    const kept = new Map<string, unknown>()
    const notice = { title: "claude needs you", tag: "terminal:1", mark: "one" }
    const worker = start([], kept)
    await worker.push(() => notice)
    await worker.push(() => notice)
    const later = start([], kept)
    await later.push(() => notice)
    expect([worker.shown.length, worker.rings(), later.shown.length, later.rings()]).toEqual([2, 1, 1, 0])
    await later.push(() => ({ ...notice, mark: "two" }))
    expect(later.rings()).toBe(1)
  })

  it("keeps no more marks than a day of calls has", async () => {
    const kept = new Map<string, unknown>()
    const worker = start([], kept)
    for (let n = 0; n < 120; n++) await worker.push(() => ({ title: "x", mark: `m${n}` }))
    expect(kept.size).toBe(100)
    await worker.push(() => ({ title: "x", mark: "m119" }))
    expect([worker.shown.length, worker.rings()]).toEqual([121, 120])
  })

  it("rings where it can keep no mark", async () => {
    const worker = start([], new Map())
    worker.fill()
    await worker.push(() => ({ title: "x", mark: "one" }))
    expect(worker.rings()).toBe(1)
  })

  it("gives what does not say what it is about one place, so that such calls do not pile up", async () => {
    const worker = start()
    await worker.push(() => ({ title: "News" }))
    expect(worker.shown[0]?.options).toMatchObject({ body: "", tag: "chorus", data: { path: "/" } })
  })

  it.each([
    ["nothing", () => undefined],
    ["null", () => null],
    ["what is no JSON", () => JSON.parse("not json")],
    ["a bare number", () => 7],
  ])("still shows something when it is sent %s: a silent call is one too many", async (_, json) => {
    const worker = start()
    await worker.push(json)
    expect(worker.shown.map(({ title }) => title)).toEqual(["Chorus"])
  })

  it("still shows something when nothing is sent at all", async () => {
    const worker = start()
    await worker.pushNothing()
    expect(worker.shown.map(({ title }) => title)).toEqual(["Chorus"])
  })
})

describe("a notification that is clicked", () => {
  it("goes away and leads to its place in a new tab where none is open", async () => {
    const worker = start()
    expect(await worker.click({ path: "/agents" })).toBe(true)
    expect(worker.opened).toEqual(["https://chorus.example/agents"])
  })

  it("leads the open tab there instead of opening another", async () => {
    const went: string[] = []
    const worker = start([{ focus: async () => void went.push("focus"), navigate: async (url) => went.push(url) }])
    await worker.click({ path: "/projects/1/board?task=2" })
    expect([went, worker.opened]).toEqual([["focus", "https://chorus.example/projects/1/board?task=2"], []])
  })

  it("opens a tab after all where the open one does not let itself be led", async () => {
    const worker = start([
      { focus: async () => undefined, navigate: () => Promise.reject(new TypeError("not controlled")) },
    ])
    await worker.click({ path: "/agents" })
    expect(worker.opened).toEqual(["https://chorus.example/agents"])
  })

  it.each(["https://evil.example/", "//evil.example", "\\\\evil.example", "javascript:alert(1)", "/\t/evil.example"])(
    "never leads to %j",
    async (path) => {
      const worker = start()
      await worker.click({ path })
      expect(worker.opened.map((url) => new URL(url).origin)).toEqual(["https://chorus.example"])
    },
  )

  it.each([undefined, null, {}, { path: 7 }, { path: null }, { path: "http://" }])(
    "leads home when it carries %o",
    async (data) => {
      const worker = start()
      await worker.click(data)
      expect(worker.opened.map((url) => new URL(url).href)).toEqual(["https://chorus.example/"])
    },
  )
})
