import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { type ChorusServer, startServer } from "@chorus/server"
import { createTeam, requestPlanApproval, type Team } from "@chorus/teams"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, beforeEach, expect, it } from "vitest"
import { type Companion, startCompanion } from "../src/companion/companion.ts"
import { type Between, startBetween } from "./between.ts"

const PATIENCE = 60_000
let server: ChorusServer
let between: Between
let companion: Companion
let team: Team
let restart: () => Promise<void>
let person: <T>(name: string, input?: object) => Promise<T>

beforeEach(async () => {
  const home = temporaryDirectory().path
  server = await startServer({ dataDirectory: join(home, "server"), port: 0 })
  between = await startBetween(server.url)
  const owner = await server.store.db
    .selectFrom("users")
    .selectAll()
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  person = async <T>(name: string, input: object = {}) =>
    (await server.registry.execute(name, input, { actor, requestId: "test" })) as T
  const agent = await person<{ uuid: string }>("chorus_create_agent", { name: "laptop agent" })
  const { key } = await person<{ key: string }>("chorus_create_key", { agentUuid: agent.uuid })
  const start = () =>
    startCompanion({
      client: createClient({ url: between.url, key }),
      machine: "laptop",
      socketPath: join(home, "status.sock"),
      data: home,
      claudeDirectory: join(home, "claude"),
    })
  team = await createTeam({ name: "crew" }, { root: join(home, "claude") })
  await team.join({ name: "bob", agentType: "general-purpose" })
  companion = start()
  restart = async () => {
    await companion.close()
    companion = start()
  }
})

afterEach(async () => {
  await companion.close()
  await between.close()
  await server.close()
})

const inbox = () => readFileSync(team.paths.inbox("bob"), "utf8")
const times = (words: string) => inbox().split(words).length - 1
const write = async (text: string) => {
  const { uuid } = await waitFor(
    async () => (await person<{ teams: { uuid: string }[] }>("chorus_list_teams")).teams[0],
    PATIENCE,
    "the team on the board",
  )
  const bob = async () => (await person<{ members: { name: string }[] }>("chorus_get_team", { teamUuid: uuid })).members
  await waitFor(async () => (await bob()).some(({ name }) => name === "bob"), PATIENCE, "bob on the board")
  return person<{ orderUuid: string }>("chorus_write_to_member", { teamUuid: uuid, to: "bob", text })
}
const plan = async () => {
  await requestPlanApproval(team, "bob", { path: "plan.md", content: "# Paint it" })
  return waitFor(
    async () =>
      (await person<{ attentions: { uuid: string; kind: string }[] }>("chorus_list_attentions")).attentions.find(
        ({ kind }) => kind === "plan",
      ),
    PATIENCE,
    "the plan to wait for a person",
  )
}
const approve = (attentionUuid: string) =>
  person("chorus_answer_attention", { attentionUuid, answer: { decision: "approve" } })

it("carries an order out once though it cannot say so, nor after it was started anew", async () => {
  await write("first words")
  await waitFor(() => times("first words") === 1, PATIENCE, "the first")
  between.refuse(/settle/)
  await write("second words")
  await waitFor(() => times("second words") === 1, PATIENCE, "the second")
  await waitFor(() => between.refused() > 0, PATIENCE, "it to try to say so")
  await restart()
  await write("third words")
  await waitFor(() => times("third words") === 1, PATIENCE, "the third, in its turn")
  expect(times("second words")).toBe(1)
  between.refuse(undefined)
  await write("fourth words")
  await waitFor(() => times("fourth words") === 1, PATIENCE, "the fourth")
  expect([times("first words"), times("second words"), times("third words")]).toEqual([1, 1, 1])
})

it("writes an approval as soon as the member's inbox takes it", async () => {
  const { uuid } = await plan()
  const path = team.paths.inbox("bob")
  rmSync(path)
  mkdirSync(join(path, "in the way"), { recursive: true })
  await approve(uuid)
  await waitFor(() => between.seen(/settle/) > 0, PATIENCE, "the companion to say that it failed")
  rmSync(path, { recursive: true })
  writeFileSync(path, "[]")
  await waitFor(() => times("plan_approval_response") === 1, PATIENCE, "the approval")
  await waitFor(
    async () =>
      (await person<{ state: string }>("chorus_get_attention", { attentionUuid: uuid })).state === "delivered",
    PATIENCE,
    "the attention to be delivered",
  )
})

it("tells the person in the end that an approval could not be written, why, and delivers it when told to", async () => {
  const { uuid } = await plan()
  const path = team.paths.inbox("bob")
  rmSync(path)
  mkdirSync(join(path, "in the way"), { recursive: true })
  await approve(uuid)
  const dead = await waitFor(
    async () => {
      // The last attempts lie half an hour apart; here their time comes at once.
      await server.store.write(({ db }) =>
        db
          .updateTable("deliveries")
          .set({ nextAttemptAt: new Date().toISOString() })
          .where("state", "=", "pending")
          .where("attempts", ">", 0)
          .execute(),
      )
      await write("go on")
      return (
        await person<{ deliveries: { uuid: string; kind: string; state: string }[] }>("chorus_list_deliveries", {
          state: "dead",
        })
      ).deliveries.find(({ kind }) => kind === "answer")
    },
    PATIENCE,
    "the dead letter",
  )
  expect(dead).toMatchObject({ attempts: expect.any(Number), to: "laptop", lastError: expect.stringMatching(/bob/) })
  const waiting = await person<{ items: { kind: string; uuid: string }[] }>("chorus_needs_you")
  expect(waiting.items).toContainEqual(expect.objectContaining({ kind: "delivery", uuid: dead.uuid }))
  rmSync(path, { recursive: true })
  writeFileSync(path, "[]")
  await person("chorus_redeliver", { deliveryUuid: dead.uuid })
  await waitFor(() => times("plan_approval_response") === 1, PATIENCE, "the approval")
})
