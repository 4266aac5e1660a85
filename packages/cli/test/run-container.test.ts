import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { chorus } from "./chorus-process.ts"
import { openStage } from "./run-stage.ts"

const home = temporaryDirectory("container-").path
const AGENT = scriptedAgent("--state", join(home, "agent"))
const ASKED = join(home, "asked.json")

/** Reads its words as podman does, gives only the named variables, and starts what is nobody's child here. */
const ENGINE = `#!${process.execPath}
const { spawn } = require("node:child_process")
const [run, ...words] = process.argv.slice(2)
const told = {}
const env = { PATH: "/usr/bin:/bin" }
while (words[0].startsWith("--")) {
  const name = words.shift()
  const value = ["--rm", "--interactive", "--init"].includes(name) ? true : words.shift()
  ;(told[name] ??= []).push(value)
}
for (const name of told["--env"]) if (process.env[name] !== undefined) env[name] = process.env[name]
const [image, command, ...args] = words
require("node:fs").writeFileSync(${JSON.stringify(ASKED)}, JSON.stringify({ run, image, told }))
const child = spawn(command, args, { cwd: told["--workdir"][0], env, detached: true, stdio: ["pipe", "pipe", "inherit"] })
process.stdin.pipe(child.stdin)
child.stdout.pipe(process.stdout)
child.on("exit", (code) => process.exit(code ?? 1))
`

it("in a container an agent sees its worktree and git folder alone, and ends with its run", async () => {
  const bin = join(home, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "podman"), ENGINE, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env["PATH"]}`, SECRET_OF_MINE: "s3cret" }
  const allow = ["--command", AGENT, "--enclosure", "podman", "--image", "agents:1"]
  await using stage = await openStage({ allow, env })
  const none = ["runner", "allow", stage.repository, "--enclosure", "docker", "--data", join(home, "other")]
  expect(await chorus(none)).toMatchObject({ code: 1, stderr: expect.stringContaining("--image") })

  const { uuid } = await stage.begin(await stage.task(script({ sh: "env; pwd" }, { say: "DONE" })), { command: AGENT })
  const run = await stage.until(uuid, "finished", "failed", "lost")
  expect([run.state, run.reason]).toEqual(["finished", null])
  const { image, told } = JSON.parse(readFileSync(ASKED, "utf8")) as {
    image: string
    told: Record<string, string[]>
  }
  const places = [join(stage.repository, ".git"), run.worktree ?? ""]
  const volumes = told["--volume"] ?? []
  const orders = volumes.filter((volume) => volume.endsWith(":ro"))
  expect([image, volumes.filter((volume) => !orders.includes(volume)), told["--workdir"]]).toEqual([
    "agents:1",
    places.map((path) => `${path}:${path}`),
    [run.worktree],
  ])
  // What git takes orders from can be read and not written.
  expect(orders).toEqual(
    expect.arrayContaining(
      ["config", "hooks"].map((name) => join(places[0] ?? "", name)).map((path) => `${path}:${path}:ro`),
    ),
  )
  // A value among the words could be read by everybody on the machine.
  expect(told["--env"]?.filter((name) => name.includes("="))).toEqual([])
  const printed = JSON.stringify(await stage.transcript(uuid))
  expect([printed.includes("PATH=/usr/bin:/bin"), printed.includes("s3cret")]).toEqual([true, false])

  const busy = await stage.begin(await stage.task(script({ sh: "sleep 600" })), { command: AGENT })
  const atWork = async () => (await stage.transcript(busy.uuid)).some(({ title }) => title === "sleep 600")
  await waitFor(atWork, 60_000, "work", 100)
  expect(stage.strays(busy.uuid).length).toBeGreaterThan(1)
  await stage.json("runs", "stop", busy.uuid)
  await stage.until(busy.uuid, "stopped")
  expect(stage.strays(busy.uuid)).toEqual([])
})
