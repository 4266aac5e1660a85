import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { isExecutable, statusPrograms } from "./programs.ts"
import { isShim } from "@chorus/disk"
import { findRealProgram, installedVersion } from "./real-program.ts"
import { removeTraces, shellCode, SHELLS, shellUndo, writeShims } from "./shims.ts"

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory("launch-")
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await folder[Symbol.asyncDispose]()
})

const place = (...parts: string[]) => join(folder.path, ...parts)
function program(path: string, mode = 0o755): string {
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, "#!/bin/sh\necho real\n")
  chmodSync(path, mode)
  return path
}
const onPath = (...folders: string[]) => folders.map((name) => (name === "" ? "" : place(name))).join(delimiter)

describe("the agent itself", () => {
  it("is the first program of its name that can be started and is no wrapper of ours", () => {
    writeShims(place("shims"), ["/bin/node", "/chorus/main.js"])
    mkdirSync(place("with-folder", "claude"), { recursive: true })
    program(place("no-mode", "claude"), 0o644)
    const real = program(place("real", "claude"))
    program(place("later", "claude"))
    expect(findRealProgram("claude", onPath("", "nowhere", "shims", "with-folder", "no-mode", "real", "later"))).toBe(
      real,
    )
  })

  it("is found behind a link, but not behind one to a wrapper", () => {
    writeShims(place("shims"), ["/bin/node", "/chorus/main.js"])
    mkdirSync(place("links"))
    symlinkSync(place("shims", "codex"), place("links", "codex"))
    const real = program(place("store", "codex-1.2.3"))
    mkdirSync(place("bin"))
    symlinkSync(real, place("bin", "codex"))
    expect(isShim(place("links", "codex"))).toBe(true)
    expect(findRealProgram("codex", onPath("links", "bin"))).toBe(place("bin", "codex"))
  })

  it.each([undefined, "", "/nowhere"])("that is not on the path %j is named with what to do", (path) => {
    expect(() => findRealProgram("opencode", path)).toThrowError(
      expect.objectContaining({
        code: "agent_not_found",
        status: 404,
        next: "Install opencode, or put its folder on PATH.",
      }),
    )
  })

  it.each<[string, () => string, string | undefined]>([
    ["a folder named by it", () => program(place("versions", "2.1.325", "claude")), "2.1.325"],
    [
      "its package",
      () => (
        program(place("pkg", "cli.js")),
        writeFileSync(place("pkg", "package.json"), '{"version":"1.18.33"}'),
        place("pkg", "cli.js")
      ),
      "1.18.33",
    ],
    [
      "the package above its folder",
      () => (
        program(place("pkg2", "bin", "codex")),
        writeFileSync(place("pkg2", "package.json"), '{"version":"0.166.0"}'),
        place("pkg2", "bin", "codex")
      ),
      "0.166.0",
    ],
    ["nothing", () => program(place("lonely", "bin", "claude")), undefined],
    [
      "a package that is broken",
      () => (
        program(place("pkg3", "claude")),
        writeFileSync(place("pkg3", "package.json"), "{"),
        place("pkg3", "claude")
      ),
      undefined,
    ],
    ["a program that is not there", () => place("never"), undefined],
  ])("has the version that %s tells", (_, install, version) => {
    expect(installedVersion(install())).toBe(version)
  })

  it("is started by programs of ours that can run", () => {
    const { emitter, launcher, oscReader, opencodePlugin } = statusPrograms()
    for (const path of [emitter, launcher, oscReader]) expect(path === undefined || isExecutable(path)).toBe(true)
    expect(existsSync(opencodePlugin)).toBe(true)
    const without = statusPrograms("/no/perl")
    expect([without.emitter.endsWith("emit.cjs"), without.launcher, without.oscReader]).toEqual([
      true,
      undefined,
      undefined,
    ])
  })
})

describe("wrappers", () => {
  it("are of the agents and of Chorus itself, can be run, and are known as ours", () => {
    const names = ["chorus", "claude", "codex", "opencode"]
    writeShims(place("shims"), ["/bin/node", "/it's here/main.js"])
    expect(readdirSync(place("shims")).sort()).toEqual(names)
    for (const name of names)
      expect([statSync(place("shims", name)).mode & 0o777, isShim(place("shims", name))]).toEqual([0o755, true])
    expect([isShim(place("nowhere")), isShim(program(place("x", "claude")))]).toEqual([false, false])
  })

  it("are removed with what the listener keeps, and nothing else", () => {
    vi.stubEnv("CHORUS_CACHE", place("cache"))
    writeShims(place("shims"), ["/bin/node"])
    for (const end of ["", ".json", ".lock", ".line", ".log", ".mine"]) writeFileSync(place(`sock${end}`), "")
    removeTraces(place("shims"), place("sock"))
    removeTraces(place("shims"), place("sock"))
    expect(readdirSync(folder.path)).toEqual(["sock.mine"])
  })
})

describe("what a shell evaluates", () => {
  const sh = (script: string, env: Record<string, string>) =>
    execFileSync("/bin/sh", ["-c", script], { encoding: "utf8", env })
  const show = '; printf "%s" "$PATH"'

  it.each(["/plain/shims", "/it's/sh ims", '/do$(id)llar/"quoted"'])(
    "puts %s first, once, and takes it away again",
    (shims) => {
      const code = shellCode("bash", shims)
      const env = { PATH: "/usr/bin:/bin" }
      expect(sh(`${code}${code.trimEnd()}${show}`, env)).toBe(`${shims}:/usr/bin:/bin`)
      expect(sh(`${code}${shellUndo("bash", shims).trimEnd()}${show}`, env)).toBe("/usr/bin:/bin")
    },
  )

  it("names no terminal: what a shell exports, every terminal started from it would inherit", () => {
    for (const shell of SHELLS) expect(shellCode(shell, "/s")).not.toContain("TERMINAL")
  })

  it("speaks fish where it is asked to", () => {
    expect(shellCode("fish", "/s")).toContain("set -gx PATH '/s' (string match -v -- '/s' $PATH)")
    expect(shellUndo("fish", "/s")).toContain("set -e CHORUS_TERMINAL_ID")
  })
})
