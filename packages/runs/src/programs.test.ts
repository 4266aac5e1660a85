import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tellsCost } from "@chorus/core"
import { SHIM_MARK } from "@chorus/disk"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { environmentFor, lacksOf, missingOf, PROGRAMS, startOf, versionedOf } from "./programs.ts"

const MACHINES = readFileSync(join(import.meta.dirname, "../../../docs/machines.md"), "utf8")

describe("a program", () => {
  it.each([...PROGRAMS, "command"] as const)("lacks what the books say that %s lacks", (program) => {
    for (const sentence of lacksOf(program)) expect(MACHINES).toContain(sentence)
  })

  it("says that it tells no cost where it tells none, as then no budget in dollars stops it", () => {
    const silent = PROGRAMS.filter((program) => lacksOf(program).some((one) => one.startsWith("It tells no cost")))
    expect(silent).toEqual(["codex", "qwen", "gemini"])
    expect(PROGRAMS.filter((program) => !tellsCost(program))).toEqual(silent)
  })

  it("that is not all there says what is missing and what brings it", () => {
    const bin = join(temporaryDirectory("programs-").path, "bin")
    mkdirSync(bin)
    const places = { path: bin, fetched: join(bin, "none") }
    expect(missingOf("claude", places)).toBe(
      "There is no claude-agent-acp on this machine. Run `chorus runner setup claude` there.",
    )
    writeFileSync(join(bin, "claude-agent-acp"), "", { mode: 0o755 })
    expect(missingOf("claude", places)).toBe("There is no claude on this machine. Install claude there.")
    expect(() => startOf({ program: "qwen", command: null }, "ask", places)).toThrow("There is no qwen")
    writeFileSync(join(bin, "claude"), "", { mode: 0o755 })
    expect(missingOf("claude", places)).toBeUndefined()
    expect(startOf({ program: "claude", command: null }, "edit", places)).toMatchObject({
      modeId: "acceptEdits",
      env: { CLAUDE_CODE_EXECUTABLE: join(bin, "claude"), CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" },
    })
  })

  it("is the program itself where a shell has our wrappers first on its path", () => {
    const home = temporaryDirectory("programs-").path
    const places = { path: [join(home, "shims"), join(home, "bin")].join(":"), fetched: join(home, "none") }
    for (const [folder, text] of [
      ["shims", `#!/bin/sh\n# ${SHIM_MARK}\n`],
      ["bin", "#!/bin/sh\n"],
    ] as const) {
      mkdirSync(join(home, folder))
      for (const name of ["claude", "opencode"]) writeFileSync(join(home, folder, name), text, { mode: 0o755 })
    }
    writeFileSync(join(home, "bin", "claude-agent-acp"), "", { mode: 0o755 })
    expect(startOf({ program: "claude", command: null }, "ask", places).env).toMatchObject({
      CLAUDE_CODE_EXECUTABLE: join(home, "bin", "claude"),
    })
    expect(startOf({ program: "opencode", command: null }, "ask", places).command).toBe(join(home, "bin", "opencode"))
    expect(versionedOf("claude", places)).toBe(join(home, "bin", "claude"))
    expect(missingOf("opencode", { ...places, path: join(home, "shims") })).toContain("There is no opencode")
  })

  it("of an image is started there by its name, and its adapter is told where it is", () => {
    const places = { path: "", fetched: "", ofImage: true }
    const { command, args } = startOf({ program: "claude", command: null }, "edit", places)
    expect([command, args.slice(2)]).toEqual(["/bin/sh", ["sh", "claude-agent-acp"]])
    expect(args[1]).toContain("CLAUDE_CODE_EXECUTABLE=$(command -v claude)")
    expect(startOf({ program: "opencode", command: null }, "edit", places).args.slice(2)).toEqual([
      "sh",
      "opencode",
      "acp",
    ])
    expect(startOf({ program: "command", command: "mine --acp" }, "ask", places)).toMatchObject({
      command: "mine",
      args: ["--acp"],
    })
  })

  it("gets only the variables that are its own, every program's, or named by the machine", () => {
    const given = {
      PATH: "/bin",
      HOME: "/home/a",
      OPENAI_API_KEY: "o",
      ANTHROPIC_API_KEY: "a",
      AWS_SECRET_ACCESS_KEY: "s",
      GITHUB_TOKEN: "g",
      CHORUS_API_KEY: "c",
      LD_PRELOAD: "x",
      MINE: "m",
    }
    const names = (program: Parameters<typeof environmentFor>[0], further: string[] = []) =>
      Object.keys(environmentFor(program, given, further))
    expect(names("codex")).toEqual(["PATH", "HOME", "OPENAI_API_KEY"])
    expect(names("gemini", ["MINE"])).toEqual(["PATH", "HOME", "MINE"])
    expect(names("command")).toEqual(["PATH", "HOME"])
  })
})
