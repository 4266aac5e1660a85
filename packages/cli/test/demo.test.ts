import { once } from "node:events"
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CHORUS_MAIN, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, test } from "vitest"
import { chorusJson, startChorus } from "./chorus-process.ts"

interface Demo {
  readonly projectUuid: string
  readonly url: string
}

test("the demo runs on the server that is there, and its link leads to the board", async () => {
  await using directory = temporaryDirectory()
  const server = await startChorus(["--data", directory.path])
  const demo = await chorusJson<Demo>(["demo", "--data", directory.path])
  expect(demo.url).toMatch(
    new RegExp(`^${server.url}/sign-in\\?next=%2Fprojects%2F${demo.projectUuid}%2Fboard#[\\w-]{43}$`),
  )
  const projects = await chorusJson<{ uuid: string }[]>(["project", "list", "--data", directory.path])
  expect(projects.map(({ uuid }) => uuid)).toContain(demo.projectUuid)
  await server.end()
})

test.each([
  ["without a server", undefined],
  [
    "beside the note of a server that was killed",
    { pid: 2 ** 22 + 1, url: "http://127.0.0.1:9", startedAt: "", engine: "sqlite", token: "t" },
  ],
])("%s it has one of its own, and leaves nothing behind when it is ended", async (_, note) => {
  await using directory = temporaryDirectory()
  const [scratch, data] = [join(directory.path, "tmp"), join(directory.path, "data")]
  for (const folder of [scratch, data]) mkdirSync(folder)
  if (note !== undefined) writeFileSync(join(data, "server.json"), JSON.stringify(note))
  const child = spawn(process.execPath, [CHORUS_MAIN, "demo", "--data", data], {
    env: { PATH: process.env["PATH"], HOME: directory.path, TMPDIR: scratch, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
  await waitFor(
    () => said.includes("Ctrl-C ends the demo"),
    60_000,
    () => `the demo, which says: ${said}`,
  )
  const { origin } = new URL(/http:\S+/.exec(said)?.[0] ?? "")
  expect(await (await fetch(`${origin}/api/health`)).json()).toMatchObject({ status: "ok" })
  child.kill("SIGINT")
  expect(await once(child, "exit")).toEqual([0, null])
  expect(readdirSync(scratch).filter((name) => name.startsWith("chorus-demo-"))).toEqual([])
  expect(readdirSync(data)).toEqual(note === undefined ? [] : ["server.json"])
})
