import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { execFile } from "node:child_process"
import { CHORUS_MAIN, temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { chorus, cleanEnvironment, type Finished, startChorus } from "./chorus-process.ts"

const AS_ANYBODY = join(import.meta.dirname, "as-anybody.ts")

let directory: TemporaryDirectory
let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory.path, "data")
})

afterEach(() => directory.remove())

describe("damaged data", () => {
  test("is told by a start, by the doctor and by a call, each with what to do", async () => {
    await newData()
    harm("projects")
    for (const args of [
      ["start", "--port", "0"],
      ["call", "list_projects"],
    ])
      expectFault(await chorus([...args, "--data", data]), "store_damaged", /chorus restore/)
    const { code, stdout } = await chorus(["doctor", "--data", data, "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      findings: expect.arrayContaining([
        {
          what: "store",
          state: "bad",
          found: expect.stringMatching(/damaged/),
          next: expect.stringMatching(/restore/),
        },
      ]),
    })
  })

  test.each([
    ["was cut off", (file: string) => truncateSync(file, 8192)],
    ["is something else", (file: string) => overwrite(file, 0, Buffer.alloc(8192, "not a database"))],
  ])("that %s does not start", async (_, change) => {
    await newData()
    change(join(data, "chorus.sqlite"))
    expectFault(await chorus(["start", "--port", "0", "--data", data]), "store_damaged", /chorus restore/)
  })

  test("that is met while the server runs is told to the caller, and from then on by its health", async () => {
    await newData()
    const server = await startChorus(["--data", data])
    const health = async () => {
      const response = await fetch(`${server.url}/api/health`)
      return { status: response.status, body: await response.json() }
    }
    expect(await health()).toMatchObject({ status: 200, body: { status: "ok" } })
    harm("projects")
    expectFault(await chorus(["call", "list_projects", "--data", data]), "store_damaged", /chorus restore/)
    expect(await health()).toMatchObject({
      status: 500,
      body: { error: { code: "store_damaged", next: expect.stringContaining("chorus restore") } },
    })
    const doctor = await chorus(["doctor", "--data", data])
    expect(doctor.stdout).toMatch(/next \(server\):.*chorus restore/)
    await server.end()
  })

  /** Overwrites the page that a table begins on. */
  function harm(table: string): void {
    const file = join(data, "chorus.sqlite")
    const database = new DatabaseSync(file, { readOnly: true })
    const { rootpage } = database.prepare("select rootpage from sqlite_master where name = ?").get(table) ?? {}
    const { page_size: size } = database.prepare("pragma page_size").get() ?? {}
    database.close()
    overwrite(file, (Number(rootpage) - 1) * Number(size), Buffer.alloc(Number(size), 0xa5))
  }

  function overwrite(file: string, at: number, bytes: Buffer): void {
    const descriptor = openSync(file, "r+")
    writeSync(descriptor, bytes, 0, bytes.length, at)
    closeSync(descriptor)
  }
})

describe.each(["missing", "empty"])("data that is %s beside what is left of it", (how) => {
  const LOG = "what was not yet written back"

  beforeEach(async () => {
    await newData()
    writeFileSync(join(data, "secrets.json"), "{}")
    rmSync(join(data, "chorus.sqlite"))
    if (how === "empty") writeFileSync(join(data, "chorus.sqlite"), "")
    writeFileSync(join(data, "chorus.sqlite-wal"), LOG)
  })

  const expectUntouched = () => {
    expect(existsSync(join(data, "chorus.sqlite"))).toBe(how === "empty")
    expect(readFileSync(join(data, "chorus.sqlite-wal"), "utf8")).toBe(LOG)
  }

  test.each([
    ["project", "list"],
    ["call", "whoami"],
  ])("is not taken for a new installation by `chorus %s %s`", async (...args) => {
    expectFault(await chorus([...args, "--data", data]), "data_missing", /chorus restore/)
    expectUntouched()
  })

  test("is told by the doctor", async () => {
    const { code, stdout } = await chorus(["doctor", "--data", data, "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      findings: expect.arrayContaining([
        {
          what: "store",
          state: "bad",
          found: expect.stringContaining(`chorus.sqlite is ${how}`),
          next: expect.stringContaining("chorus restore"),
        },
      ]),
    })
    expectUntouched()
  })

  test("is restored, and the log that was left is kept", async () => {
    const whole = join(directory.path, "whole")
    const backup = join(directory.path, "backup.sqlite")
    expect(await chorus(["project", "add", "Saved", "--data", whole])).toMatchObject({ code: 0 })
    expect(await chorus(["backup", backup, "--data", whole])).toMatchObject({ code: 0 })
    const restored = await chorus(["restore", backup, "--data", data, "--json"])
    expect(restored).toMatchObject({ code: 0 })
    const { setAside } = JSON.parse(restored.stdout)
    expect(readFileSync(`${setAside}-wal`, "utf8")).toBe(LOG)
    expect((await chorus(["project", "list", "--data", data])).stdout).toContain("Saved")
  })
})

describe("a disk that takes nothing", () => {
  test.each([
    ["at the first start", 0],
    ["in the middle of the first start", 100],
  ])("because it is full %s is told with what to do", async (_, blocks) => {
    // No file may grow beyond this; whoever tries is told so instead of being ended.
    const refused = await run("sh", ["-c", `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, "sh", process.execPath])
    expectFault(refused, "disk_full", /room/)
  })

  test.each([
    ["is told at the first start", false],
    ["is told where there is data", true],
  ])("because it is read-only %s", async (_, isThere) => {
    if (isThere) expect((await run(process.execPath, [], ["call", "whoami"])).code).toBe(0)
    mkdirSync(data, { recursive: true })
    chmodSync(data, 0o555)
    chmodSync(directory.path, 0o755)
    expectFault(await run(process.execPath, [], undefined, AS_ANYBODY), "not_writable", /--data/)
  })

  function run(
    command: string,
    before: readonly string[],
    args: readonly string[] = ["start", "--port", "0"],
    main: string = CHORUS_MAIN,
  ): Promise<Finished> {
    return new Promise((resolve) => {
      execFile(
        command,
        [...before, main, ...args, "--data", data],
        { env: cleanEnvironment({ CHORUS_CACHE: directory.path }), timeout: 60_000 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      )
    })
  }
})

async function newData(): Promise<void> {
  expect(await chorus(["project", "add", "Shop", "--data", data])).toMatchObject({ code: 0 })
}

function expectFault({ code, stderr }: Finished, fault: string, next: RegExp): void {
  expect(stderr).toContain(`[${fault}]`)
  expect(stderr).toMatch(next)
  expect(stderr).not.toMatch(/^ +at /m)
  expect(code).toBe(1)
}
