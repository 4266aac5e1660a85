import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { asOwner, runningServer, type TestServer } from "./running-server.ts"

const NOBODY = "9f7a1c1e-2b0d-4c9e-8f1a-3d5b7c9e0f12"
const scratch = temporaryDirectory()
let chorus: TestServer
let token = ""
beforeAll(async () => {
  chorus = await runningServer()
  token = (JSON.parse(readFileSync(join(chorus.directory, "server.json"), "utf8")) as { token: string }).token
  writeFileSync(join(scratch.path, "claude"), '#!/bin/sh\n"$@"\n', { mode: 0o755 })
})
afterAll(async () => {
  await chorus.close()
  await scratch.remove()
})

const ASKS = `
const [url, token, calls] = process.argv.slice(1)
const headers = { authorization: "Bearer " + token, "content-type": "application/json", accept: "application/json, text/event-stream" }
for (const [path, body] of JSON.parse(calls)) {
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
  console.log(/needs_a_person/.test(await answer.text()) ? "refused" : "heard")
}`
const LEAVES = `
const [url, token, calls] = process.argv.slice(1)
const { port } = new URL(url)
const [[path, body]] = JSON.parse(calls)
const text = JSON.stringify(body)
const socket = require("node:net").connect(port, "127.0.0.1", () =>
  socket.write(
    ["POST " + path + " HTTP/1.1", "host: 127.0.0.1:" + port, "authorization: Bearer " + token,
     "content-type: application/json", "content-length: " + text.length, "", text].join("\\r\\n"),
    () => process.exit(),
  ),
)`

type Calls = readonly (readonly [path: string, body: object])[]

/** What a process is told that calls with the credential of the data directory. */
async function told(above: readonly string[], calls: Calls, marks: Record<string, string> = {}, script = ASKS) {
  const kind = script === ASKS ? ["--input-type=module"] : []
  const [command = "", ...words] = [...above, process.execPath, ...kind, "-e", script]
  const env = { PATH: process.env["PATH"], ...marks }
  const child = spawn(command, [...words, chorus.url, token, JSON.stringify(calls)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")])
  return said.trim().split("\n")
}

const tool = (name: string, input: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: input },
})
const DECISIONS: Calls = [
  ["/api/v1/chorus_answer_attention", { attentionUuid: NOBODY, answer: { decision: "approve" } }],
  ["/api/v1/chorus_admin_verify_task", { taskUuid: NOBODY }],
  ["/api/v1/chorus_write_to_member", { teamUuid: NOBODY, to: "ann", text: "Go on." }],
  ["/api/v1/chorus_create_agent", { name: "evil", presets: ["admin"] }],
  ["/api/v1/chorus_invite_member", { name: "Sock", role: "admin" }],
  ["/api/auth/password", { password: "one that the agent knows" }],
  ["/api/mcp", tool("chorus_admin_verify_task", { taskUuid: NOBODY })],
]
const agent = () => join(scratch.path, "claude")

it("decides nothing for an agent that reads it, by whichever door", async () => {
  const refused = DECISIONS.map(() => "refused")
  expect(await told([agent()], DECISIONS)).toEqual(refused)
  expect(await told([], DECISIONS, { CLAUDECODE: "1" })).toEqual(refused)
  expect(await told(["setsid", "-w"], DECISIONS, { CODEX_THREAD_ID: "t" })).toEqual(refused)
})

it("lets an agent look, and write what any worker may", async () => {
  const work: Calls = [
    ["/api/v1/chorus_checkin", {}],
    ["/api/v1/chorus_create_agent", { name: "bob", presets: ["developer"] }],
  ]
  expect(await told([agent()], work)).toEqual(["heard", "heard"])
})

it("decides nothing for whoever does not stay to be seen", async () => {
  const evil = (nth: number): Calls => [["/api/v1/chorus_create_agent", { name: `gone ${nth}`, presets: ["admin"] }]]
  for (let nth = 0; nth < 5; nth += 1) await told([agent()], evil(nth), {}, LEAVES)
  await told([agent()], DECISIONS)
  const { agents } = (await asOwner(chorus.server, "chorus_list_agents", {})) as { agents: { name: string }[] }
  expect(agents.map(({ name }) => name).filter((name) => name.startsWith("gone"))).toEqual([])
})

it("decides for a person", async () => {
  expect(await told([], DECISIONS)).toEqual(DECISIONS.map(() => "heard"))
})
