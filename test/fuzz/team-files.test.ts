import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { createTeam, examineTeams, isSafeName, openTeam, type Team } from "@chorus/teams"
import * as fc from "fast-check"
import { afterAll, expect, it } from "vitest"
import { hostileJson, hostileText, runs, STABLE_CODE } from "./hostile.ts"

const place = mkdtempSync(join(tmpdir(), "chorus-team-files-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

it("an inbox of any JSON takes a letter and loses nothing, or refuses it and stays as it was", async () => {
  const entry = fc.record(
    {
      from: or(fc.constant("bob")),
      text: or(fc.string()),
      timestamp: or(fc.constant("2026-01-01T00:00:00.000Z")),
      read: or(fc.boolean()),
      more: hostileJson,
    },
    { requiredKeys: [] },
  )
  await each(or(fc.array(or(entry), { maxLength: 4 })), async (content, { team }) => {
    const path = team.paths.inbox("bob")
    writeFileSync(path, JSON.stringify(content))
    const before = readFileSync(path, "utf8")
    await outcome(team.unread("bob"))
    const sent = await outcome(team.deliver({ from: "team-lead", to: "bob", text: "hello" }))
    const after = readFileSync(path, "utf8")
    if (!sent) return expect(after).toBe(before)
    const now = JSON.parse(after) as unknown[]
    expect(now.slice(0, -1)).toEqual(JSON.parse(before))
    expect(now.at(-1)).toMatchObject({ text: "hello" })
    await outcome(team.take("bob"))
  })
})

it("a roster of any JSON is read or refused, and never written over by what could not read it", async () => {
  const member = fc.record(
    {
      name: fc.oneof(fc.constantFrom("bob", "eve"), hostileText),
      agentId: hostileJson,
      joinedAt: hostileJson,
      tmuxPaneId: hostileJson,
      cwd: hostileJson,
      color: hostileJson,
    },
    { requiredKeys: [] },
  )
  const config = fc.record(
    {
      name: or(fc.constant("t")),
      members: or(fc.array(or(member), { maxLength: 3 })),
      leadAgentId: hostileJson,
      leadSessionId: hostileJson,
      createdAt: hostileJson,
      unknown: hostileJson,
    },
    { requiredKeys: [] },
  )
  await each(or(config), async (content, { team, root }) => {
    writeFileSync(team.paths.config, JSON.stringify(content))
    const before = readFileSync(team.paths.config, "utf8")
    await outcome(openTeam("t", { root }))
    await outcome(team.deliver({ from: "bob", to: "bob", text: "x" }))
    const joined = await outcome(team.join({ name: "new" }))
    if (!joined) expect(readFileSync(team.paths.config, "utf8")).toBe(before)
    await outcome(examineTeams({ root }))
  })
})

it("task files of any JSON are read, listed and claimed or refused", async () => {
  const task = fc.record(
    {
      id: or(fc.constant("1")),
      subject: or(fc.string()),
      description: hostileJson,
      status: or(fc.constantFrom("pending", "in_progress", "completed")),
      owner: hostileJson,
      blocks: or(fc.constant(["1"])),
      blockedBy: or(fc.constant(["1"])),
      metadata: hostileJson,
    },
    { requiredKeys: [] },
  )
  await each(fc.array(or(task), { maxLength: 3 }), async (contents, { team }) => {
    for (const [at, content] of contents.entries())
      writeFileSync(join(team.paths.tasks, `${at + 1}.json`), JSON.stringify(content))
    await outcome(team.tasks())
    await outcome(team.claimNext("bob"))
    await outcome(team.updateTask("1", { status: "completed" }))
    const made = await outcome(team.createTask({ subject: "new", description: "" }))
    if (made) expect((await team.tasks()).some(({ subject }) => subject === "new")).toBe(true)
  })
})

it("names of any text are taken inside the folder or refused", async () => {
  await each(fc.tuple(hostileText, hostileText), async ([one, other], { team, root }) => {
    await outcome(createTeam({ name: one }, { root }))
    await outcome(team.join({ name: other }))
    await outcome(team.deliver({ from: other, to: one, text: "x" }))
    await outcome(team.task(one))
    await outcome(team.claimTask(other, "bob"))
    for (const folder of readdirSync(join(root, "teams"))) expect(isSafeName(folder), folder).toBe(true)
  })
  for (const name of readdirSync(place)) expect(name).toMatch(/^root-\d+$/)
})

interface Scene {
  readonly root: string
  readonly team: Team
}

let number = 0

/** Tries many contents side by side, each on a team of its own: what looks half-written is waited for, for seconds. */
async function each<T>(contents: fc.Arbitrary<T>, work: (content: T, scene: Scene) => Promise<unknown>): Promise<void> {
  const { numRuns = 0, seed } = runs(30, 2000)
  const cases = fc.sample(contents, { numRuns, ...(seed === undefined ? {} : { seed }) })
  for (let from = 0; from < cases.length; from += 50) {
    await Promise.all(
      cases.slice(from, from + 50).map(async (content) => {
        const root = join(place, `root-${++number}`)
        const team = await createTeam({ name: "t" }, { root })
        await team.join({ name: "bob" })
        await work(content, { root, team }).catch((cause: unknown) => {
          throw new Error(`with ${JSON.stringify(content)}`, { cause })
        })
      }),
    )
  }
}

function or<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: hostileJson })
}

/** Whether it was done; what is not done is refused by name. */
async function outcome(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      expect(error, error instanceof Error ? (error.stack ?? "") : String(error)).toBeInstanceOf(ChorusError)
      expect((error as ChorusError).code).toMatch(STABLE_CODE)
      return false
    },
  )
}
