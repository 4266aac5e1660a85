import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { isRunning, killTree, temporaryDirectory, waitFor } from "@chorus/testing"

test("ends children and grandchildren, also those in a session of their own", async () => {
  await using home = temporaryDirectory()
  const script = 'setsid sh -c "echo \\$\\$ > grandchild; sleep 300" & sh -c "echo \\$\\$ > child; sleep 300" & wait'
  const root = spawn("sh", ["-c", script], { cwd: home.path, stdio: "ignore" })
  const pidIn = (name: string): Promise<number> =>
    waitFor(() => Number(readFileSync(join(home.path, name), "utf8").trim()))
  const pids = [await pidIn("child"), await pidIn("grandchild")]
  expect(pids.every(isRunning)).toBe(true)
  await killTree(root.pid ?? 0)
  expect([root.pid ?? 0, ...pids].some(isRunning)).toBe(false)
})

test.each([0, -1, 1, Number.NaN])("never takes %d for a process to end", async (pid) => {
  await expect(killTree(pid)).rejects.toThrow("is not the id of a process")
})

test("ending a process that is already gone is no error", async () => {
  const gone = spawn("true")
  await once(gone, "exit")
  await killTree(gone.pid ?? 0)
  expect(isRunning(gone.pid ?? 0)).toBe(false)
})

test("a last will is carried out when the process is killed, and not when it was revoked", async () => {
  await using home = temporaryDirectory()
  const lastWill = fileURLToPath(new URL("../src/last-will.ts", import.meta.url))
  const program = join(home.path, "program.mjs")
  writeFileSync(
    program,
    `import { lastWill } from ${JSON.stringify(lastWill)}
     lastWill(["touch", "revoked"]).revoke()
     lastWill(["touch", "carried-out"])
     console.log("ready")
     setInterval(() => {}, 1000)`,
  )
  const owner = spawn(process.execPath, [program], { cwd: home.path, stdio: ["ignore", "pipe", "inherit"] })
  await once(owner.stdout, "data")
  expect(existsSync(join(home.path, "carried-out"))).toBe(false)
  owner.kill("SIGKILL")
  await waitFor(() => existsSync(join(home.path, "carried-out")))
  expect(existsSync(join(home.path, "revoked"))).toBe(false)
})

test("a killed process leaves no temporary folder behind", async () => {
  const source = new URL("../src/temporary-directory.ts", import.meta.url).href
  const program = `import { temporaryDirectory } from ${JSON.stringify(source)}; console.log(temporaryDirectory().path); setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [shown] = (await once(owner.stdout.setEncoding("utf8"), "data")) as [string]
  const folder = shown.trim()
  expect(existsSync(folder)).toBe(true)
  owner.kill("SIGKILL")
  await waitFor(() => !existsSync(folder), 60_000, `${folder} to go`)
})
