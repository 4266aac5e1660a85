import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { createTeam } from "../src/index.ts"
import { figure, scratchRoot, startWorker, STRESS } from "./worker.ts"

test("many processes append to one inbox while others consume: each message once, in order per sender", async () => {
  const [senders, each, takers] = STRESS ? [50, 200, 4] : [6, 25, 2]
  const root = scratchRoot()
  const team = await createTeam({ name: "busy" }, { root })
  await team.join({ name: "target" })
  const started = performance.now()
  const reading = Array.from({ length: takers }, () => startWorker("taker", root, "busy", "target"))
  const sending = Array.from({ length: senders }, (_, n) =>
    startWorker("sender", root, "busy", `s${n}`, "target", String(each)),
  )
  await Promise.all(sending.map((worker) => worker.done))
  for (const worker of reading) worker.child.stdin?.end()
  const taken = (await Promise.all(reading.map((worker) => worker.done))).flat()
  const seconds = (performance.now() - started) / 1000
  expect(taken.length).toBe(senders * each)
  expect(new Set(taken).size).toBe(senders * each)
  const order = [...team.history("target"), ...(await team.inbox("target"))].map(({ entry }) => entry.text)
  const numbersOf = (sender: string) =>
    order.filter((text) => text.startsWith(`${sender} `)).map((text) => Number(text.split(" ")[1]))
  for (let n = 0; n < senders; n++)
    expect(numbersOf(`s${n}`)).toEqual(Array.from({ length: each }, (_, index) => index + 1))
  figure(
    `${senders} processes × ${each} messages to one inbox, ${takers} readers: ${taken.length} taken once, order per sender kept, ${seconds.toFixed(1)} s`,
  )
})

test("the same without readers: all of them lie in the file once", { tags: ["stress"] }, async () => {
  const [senders, each] = [50, 200]
  const root = scratchRoot()
  const team = await createTeam({ name: "busy" }, { root })
  await team.join({ name: "target" })
  await Promise.all(
    Array.from(
      { length: senders },
      (_, n) => startWorker("sender", root, "busy", `s${n}`, "target", String(each)).done,
    ),
  )
  const texts = (JSON.parse(readFileSync(team.paths.inbox("target"), "utf8")) as { text: string }[]).map(
    (entry) => entry.text,
  )
  expect(texts.length).toBe(senders * each)
  expect(new Set(texts).size).toBe(senders * each)
})

test("kill -9 at random moments during writes: what was acknowledged lies there once and in order, no file is torn", async () => {
  const [kills, atOnce, most] = STRESS ? [200, 8, 60] : [6, 6, 6]
  const root = scratchRoot()
  const team = await createTeam({ name: "deadly" }, { root })
  await team.join({ name: "target" })
  const promised = new Map<string, number>()
  let killed = 0
  const oneLife = async (n: number) => {
    const worker = startWorker("sender", root, "deadly", `k${n}`, "target", "100000")
    let left = 1 + Math.floor(Math.random() * most)
    worker.child.stdout?.on("data", (said: string) => {
      left -= said.split("\n").length - 1
      if (left <= 0) setTimeout(() => worker.child.kill("SIGKILL"), Math.random() * 10)
    })
    promised.set(`k${n}`, (await worker.done).length)
    killed++
  }
  for (let n = 0; n < kills; n += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, kills - n) }, (_, index) => oneLife(n + index)))
  await team.deliver({ from: "witness", to: "target", text: "the lock is free again" })
  const lying = (JSON.parse(readFileSync(team.paths.inbox("target"), "utf8")) as { text: string }[]).map(
    (entry) => entry.text,
  )
  const acknowledged = [...promised.values()].reduce((sum, one) => sum + one, 0)
  if (STRESS) expect(acknowledged).toBeGreaterThanOrEqual(5_000)
  const numbers = Map.groupBy(lying, (text) => text.split(" ")[0])
  for (const [sender, count] of promised) {
    const found = numbers.get(sender) ?? []
    // Whoever was killed may have written one more than it could say.
    expect(found.length - count, sender).toBeOneOf([0, 1])
    expect(found).toEqual(Array.from(found, (_, index) => `${sender} ${index + 1}`))
  }
  expect(readdirSync(team.paths.inboxes).filter((name) => name.endsWith(".lock"))).toEqual([])
  figure(
    `${killed} × kill -9 during writes: ${acknowledged} acknowledged, 0 lost, 0 repeated, order kept, 0 torn files`,
  )
})

// Every day one of 50,000 is appended to and taken in test/faults/teams.
test.each(STRESS ? [100, 50_000] : [100])(
  "an append to an inbox of %i lands behind everything that is there",
  async (messages) => {
    const root = scratchRoot()
    const team = await createTeam({ name: "big" }, { root })
    await team.join({ name: "target" })
    const lying = Array.from({ length: messages }, (_, n) => ({
      from: "x",
      text: `message number ${n} with some words in it`,
      timestamp: "2026-01-01T00:00:00.000Z",
      read: false,
    }))
    writeFileSync(team.paths.inbox("target"), JSON.stringify(lying, null, 2))
    for (let n = 0; n < 20; n++) await team.deliver({ from: "y", to: "target", text: `append ${n}` })
    const found = JSON.parse(readFileSync(team.paths.inbox("target"), "utf8")) as { text: string }[]
    expect(found.slice(0, messages)).toEqual(lying)
    expect(found.slice(messages).map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `append ${n}`))
  },
)

test("an inbox of 50,000 unread messages is taken at once", { tags: ["stress"] }, async () => {
  const root = scratchRoot()
  const team = await createTeam({ name: "backlog" }, { root })
  await team.join({ name: "late" })
  const entries = Array.from({ length: 50_000 }, (_, n) => ({
    from: "x",
    text: `message ${n}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    read: false,
  }))
  writeFileSync(team.paths.inbox("late"), JSON.stringify(entries, null, 2))
  const taken = await team.take("late")
  expect(taken.length).toBe(50_000)
  await team.deliver({ from: "y", to: "late", text: "one more" })
  expect((await team.take("late")).map(({ entry }) => entry.text)).toEqual(["one more"])
  expect(team.history("late").length + (await team.inbox("late")).length).toBe(50_001)
})
