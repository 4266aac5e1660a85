import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  agentProgram,
  cacheDirectory,
  scratchHome,
  temporaryDirectory,
  type TemporaryDirectory,
  waitFor,
} from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migrations } from "../packages/store/src/migrations/index.ts"
import { containerSteps, onlyStep } from "./container-steps.ts"
import {
  bytesBelow,
  cleanEnvironment,
  filesBelow,
  finished,
  type Installation,
  installation,
  pack,
  ROOT,
  standInForClaude,
  started,
} from "./installed-package.ts"

const MOST_PACKAGES = 40
const MOST_MEGABYTES = 30
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version
const NEXT = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1))
const OLD_SCHEMA = 3

let scratch: TemporaryDirectory
let tarballs: [string, string]
let installed: Installation

beforeAll(async () => {
  scratch = temporaryDirectory("chorus-package-")
  tarballs = await Promise.all([pack(scratch.path, VERSION), pack(scratch.path, NEXT)])
  installed = installation(join(scratch.path, "installed"), { CHORUS_CACHE: cacheDirectory() })
  installed.install(tarballs[0])
})
afterAll(() => scratch.remove())

describe("the package", () => {
  it(`installs without network and with an empty npm cache, as at most ${MOST_PACKAGES} packages and ${MOST_MEGABYTES} MB`, () => {
    const modules = join(installed.folder, "node_modules")
    const packages = filesBelow(modules).filter((file) =>
      /^(@[^/]+\/)?[^/@]+\/package\.json$|node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    )
    const megabytes = bytesBelow(modules) / 1e6
    console.log(`installed: ${packages.length} package, ${megabytes.toFixed(1)} MB`)
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.length).toBeLessThanOrEqual(MOST_PACKAGES)
    expect(megabytes).toBeLessThanOrEqual(MOST_MEGABYTES)
  })

  it("runs nothing when it is installed, and names everybody whose work is in it", () => {
    const folder = join(installed.folder, "node_modules", "chorus")
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>
    expect(manifest).toMatchObject({ name: "chorus", version: VERSION, license: "MIT", engines: { node: ">=20" } })
    expect(Object.keys(manifest)).not.toContain("scripts")
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), "utf8")
    for (const name of ["hono", "kysely", "pg", "react", "zod"])
      expect(notices).toMatch(new RegExp(`^## ${name} \\d`, "m"))
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toContain("MIT")
  })

  it("answers, checks this machine and a plugin, and knows teams and statuses", async () => {
    expect(await installed.npx("--version")).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
    const data = join(scratch.path, "looked-at")
    expect(JSON.parse((await installed.chorus("doctor", "--json", "--data", data)).stdout)).toMatchObject({ ok: true })
    expect(
      (await installed.chorus("plugin", "validate", join(installed.folder, "node_modules", "chorus", "plugin"))).stdout,
    ).toContain("valid: 0 errors")
    expect(JSON.parse((await installed.chorus("status", "--json")).stdout)).toEqual([])
    expect(await installed.chorus("team", "create", "crew")).toMatchObject({ code: 0 })
    expect((await installed.chorus("team", "status")).stdout).toContain("crew")
  })

  it("serves the page and its operations", async () => {
    const server = await installed.start("--data", join(scratch.path, "served"))
    try {
      expect(await (await fetch(`${server.url}/api/health`)).json()).toMatchObject({
        status: "ok",
        version: VERSION,
        engine: "sqlite",
      })
      const page = await (await fetch(server.url)).text()
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
      expect((await fetch(`${server.url}${script}`)).headers.get("content-type")).toContain("javascript")
      expect((await installed.chorus("project", "add", "First", "--data", join(scratch.path, "served"))).code).toBe(0)
    } finally {
      await server.stop()
    }
  })
})

describe("the container file", () => {
  it("has steps that, run one after the other, give a server that is healthy", async () => {
    await using scratch = temporaryDirectory("chorus-container-")
    const root = scratch.path
    const [account, group] = [userInfo().username, execFileSync("id", ["-gn"], { encoding: "utf8" }).trim()]
    // The image's own file system and account become a folder and whoever runs this; all else is taken word for word.
    const here = (text: string) =>
      text
        .replaceAll(/(?<![\w.])\/(tmp|data)\b/g, `${root}/$1`)
        .replaceAll("-o node -g node", `-o ${account} -g ${group}`)
    mkdirSync(join(root, "tmp"))
    const prefix = join(root, "usr")
    const env: NodeJS.ProcessEnv = {
      ...cleanEnvironment(),
      HOME: root,
      npm_config_prefix: prefix,
      npm_config_cache: join(root, "npm-cache"),
    }
    env["PATH"] = `${join(prefix, "bin")}:${env["PATH"]}`
    for (const { word, rest } of containerSteps) {
      if (word === "COPY") copyFileSync(tarballs[0], here(rest.split(" ").at(-1) ?? ""))
      if (word === "RUN") execFileSync("sh", ["-c", here(rest)], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
      if (word === "ENV")
        for (const pair of here(rest).split(" "))
          Object.assign(env, Object.fromEntries([pair.split("=") as [string, string]]))
    }
    expect(existsSync(join(root, "tmp", "chorus.tgz"))).toBe(false)
    expect(statSync(join(root, "data")).mode & 0o777).toBe(0o700)

    // Open to other machines it refuses to be while nobody has a password, so here it starts as the first start does.
    const [program = "", ...args] = JSON.parse(onlyStep("CMD").rest) as string[]
    const refused = await finished(program, args, { cwd: root, env: { ...env, CHORUS_CACHE: cacheDirectory() } })
    expect(refused.stderr).toContain("does not listen on 0.0.0.0 while nobody has a password")
    const server = await started(program, [...args, "--port", "0"], {
      cwd: root,
      env: { ...env, CHORUS_CACHE: cacheDirectory(), CHORUS_HOST: "127.0.0.1" },
    })
    try {
      const check = JSON.parse(onlyStep("HEALTHCHECK").rest.replace(/^.*? CMD /, "")) as string[]
      const health = () =>
        finished(check[0] ?? "", check.slice(1), { cwd: root, env: { ...env, CHORUS_PORT: new URL(server.url).port } })
      await waitFor(async () => (await health()).code === 0, 60_000, "the health check to pass")
      await server.stop()
      expect((await health()).code).toBe(1)
    } finally {
      await server.stop()
    }
  })
})

describe("an upgrade", () => {
  it("keeps the data, brings an older schema up to date and keeps a copy from before", async () => {
    const data = join(installed.home, "data")
    expect((await installed.chorus("project", "add", "Kept", "--data", data)).code).toBe(0)
    const old = join(installed.home, "old")
    writeOldData(old)

    installed.install(tarballs[1])
    expect((await installed.chorus("--version")).stdout).toBe(`${NEXT}\n`)
    expect(namesOf(await installed.chorus("project", "list", "--json", "--data", data))).toEqual(["Kept"])
    const server = await installed.start("--data", old)
    try {
      expect(namesOf(await installed.chorus("project", "list", "--json", "--data", old))).toEqual(["From before"])
      expect((await installed.chorus("project", "add", "From after", "--data", old)).code).toBe(0)
    } finally {
      await server.stop()
    }
    const [copy = ""] = readdirSync(old).filter((name) => name.startsWith("before-schema-"))
    expect(schemaOf(join(old, copy))).toBe(OLD_SCHEMA)
    expect(schemaOf(join(old, "chorus.sqlite"))).toBe(migrations.length)
    expect(readdirSync(data).filter((name) => name.startsWith("before-schema-"))).toEqual([])
  })
})

describe("uninstall", () => {
  it("takes everything back that was put on the machine", async () => {
    await using home = scratchHome()
    const codex = await agentProgram("codex")
    const path = [dirname(process.execPath), dirname(codex), home.path, home.environment["PATH"]].join(":")
    standInForClaude(home.path)
    const app = installed.with({ ...home.environment, PATH: path, CHORUS_CACHE: undefined })
    const before = filesBelow(home.path)

    const server = await app.start()
    const connected = await Promise.all(["claude", "codex", "opencode"].map((agent) => app.chorus("connect", agent)))
    expect(connected.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
      [0, ""],
    ])
    expect(textOf(join(home.path, ".claude", "plugins", "known_marketplaces.json"))).toContain(
      `"${join(app.folder, "node_modules", "chorus")}"`,
    )
    expect((await app.chorus("shell-init", "bash")).code).toBe(0)
    expect((await app.chorus("resume", "--on", "claude")).code).toBe(0)
    expect(await app.chorus("uninstall")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already runs Chorus") as string,
    })
    await server.stop()
    mkdirSync(join(home.path, ".cache", "chorus", "node-24.0.0"))
    expect(ours(home.path).length).toBeGreaterThan(10)

    const kept = await app.chorus("uninstall", "--json")
    expect(JSON.parse(kept.stdout)).toMatchObject({
      failed: [],
      left: [expect.stringContaining(join(home.path, ".chorus"))],
    })
    expect(JSON.parse(kept.stdout)).toMatchObject({
      done: expect.arrayContaining([
        "Claude Code: revoked its key",
        expect.stringMatching(/^Claude Code: uninstalled chorus/),
        expect.stringMatching(/^codex: /),
        expect.stringMatching(/^opencode: /),
      ]) as string[],
    })
    expect((await app.chorus("uninstall", "--delete-data", "--json")).code).toBe(0)
    execFileSync("npm", ["uninstall", "--offline", "--no-audit", "--no-fund", "chorus"], {
      cwd: app.folder,
      env: app.environment,
    })
    expect(ours(home.path)).toEqual([])
    // What Codex and npm keep for themselves is theirs.
    expect(
      filesBelow(home.path).filter(
        (file) => !before.includes(file) && !/^\.codex\/|^\.claude\/plugins\/(known|installed)_|^tmp\//.test(file),
      ),
    ).toEqual([])
    expect(existsSync(join(app.folder, "node_modules", "chorus"))).toBe(false)
  })
})

/** Files that are ours by their name, or that speak of us; the scratch folder's own name does not count, nor the stand-in. */
function ours(home: string): string[] {
  return filesBelow(home).filter(
    (file) =>
      file !== "claude" && (/chorus/i.test(file) || /chorus/i.test(textOf(join(home, file)).replaceAll(home, ""))),
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

/** A data directory as an earlier Chorus left it, with one project. */
function writeOldData(directory: string): void {
  mkdirSync(directory, { mode: 0o700 })
  const database = new DatabaseSync(join(directory, "chorus.sqlite"))
  database.exec(`create table migrations ("id" integer primary key, "name" text not null, "appliedAt" text not null)`)
  const at = "2025-01-01T00:00:00.000Z"
  for (const migration of migrations.slice(0, OLD_SCHEMA)) {
    for (const statement of migration.statements("sqlite")) database.exec(statement)
    database.prepare("insert into migrations values (?, ?, ?)").run(migration.id, migration.name, at)
  }
  const insert = (table: string, row: Record<string, string | number | null>) => {
    const names = Object.keys(row)
    database
      .prepare(
        `insert into "${table}" (${names.map((name) => `"${name}"`).join()}) values (${names.map(() => "?").join()})`,
      )
      .run(...Object.values(row))
  }
  const [workspace, owner] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
  insert("workspaces", { uuid: workspace, name: "Chorus", lastEvent: 0, settings: "{}", createdAt: at })
  insert("users", {
    uuid: owner,
    workspaceUuid: workspace,
    name: "Owner",
    email: null,
    role: "owner",
    passwordHash: null,
    oidcSubject: null,
    createdAt: at,
    disabledAt: null,
  })
  insert("projects", {
    uuid: "00000000-0000-4000-8000-000000000003",
    workspaceUuid: workspace,
    name: "From before",
    status: "active",
    createdAt: at,
    updatedAt: at,
  })
  database.close()
}

function schemaOf(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(database.prepare("select max(id) as id from migrations").get()?.["id"])
  } finally {
    database.close()
  }
}

function namesOf({ stdout, stderr }: { stdout: string; stderr: string }): string[] {
  if (stdout === "") throw new Error(stderr)
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
}
