import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { machine } from "../fetch/staging.ts"
import { validatePath } from "../validate/validate.ts"
import { initPlugin, PARTS, type NewPlugin } from "./new-plugin.ts"

const bench = useWorkbench()
const init = (wanted: Partial<NewPlugin> = {}) => initPlugin(bench().context(), { name: "tool", parts: [], ...wanted })

describe("a new plugin", () => {
  it("without wishes is a skill, a manifest and a README", () => {
    expect(init()).toEqual({
      folder: bench().claude("skills/tool"),
      files: [".claude-plugin/plugin.json", "README.md", "skills/tool/SKILL.md"],
    })
    expect(bench().json(bench().claude("skills/tool/.claude-plugin/plugin.json"))).toEqual({
      name: "tool",
      version: "0.1.0",
      description: "What tool is for, in one sentence.",
      author: { name: "You" },
    })
  })

  it.each([
    ["skills", ["skills/tool/SKILL.md"]],
    ["agents", ["agents/tool-helper.md"]],
    ["hooks", ["hooks/after-edit.sh", "hooks/hooks.json"]],
    ["mcp", [".mcp.json", "server.mjs"]],
    ["lsp", [".lsp.json"]],
    ["output-style", ["output-styles/tool.md"]],
    ["channel", [".mcp.json", "server.mjs"]],
  ] as const)("with %s has %j, and is valid as it stands", (part, files) => {
    const made = init({ parts: [part] })
    expect(made.files.filter((file) => file !== "README.md" && file !== ".claude-plugin/plugin.json")).toEqual(files)
    expect(validatePath(made.folder)).toEqual({ verdict: "valid", messages: [] })
  })

  it("says who made it and what it is for, whatever they write", () => {
    const { folder } = init({
      parts: PARTS,
      description: 'Says "hello": to\nall # of them',
      author: "Ann O'Nym",
      authorEmail: "a@x.example",
    })
    expect(bench().json(join(folder, ".claude-plugin/plugin.json"))).toMatchObject({
      description: 'Says "hello": to\nall # of them',
      author: { name: "Ann O'Nym", email: "a@x.example" },
    })
    expect(validatePath(folder).verdict).toBe("valid")
  })

  it("has a hook that may be run, and nothing else that may", () => {
    const { folder, files } = init({ parts: PARTS })
    expect(files.filter((file) => (statSync(join(folder, file)).mode & 0o111) !== 0)).toEqual(["hooks/after-edit.sh"])
  })

  it.each(["", "a b", "../x", ".hidden", "claude-tools", "a/b", "ünicode"])("is not called %j", (name) => {
    expect(() => init({ name })).toThrow(
      expect.objectContaining({ code: "name_refused", next: expect.any(String) as string }) as Error,
    )
    expect(existsSync(bench().claude("skills"))).toBe(false)
  })

  it("may have a name that is only unusual", () => {
    expect(init({ name: "My.Tool_2" }).folder).toBe(bench().claude("skills/My.Tool_2"))
  })

  it("takes the place of nothing that is there, be it a plugin or a file", () => {
    bench().write("../home/.claude/skills", { tool: "a file" })
    expect(() => init()).toThrow(expect.objectContaining({ code: "already_there", status: 409 }) as Error)
    init({ force: true })
    expect(readdirSync(bench().claude("skills"))).toEqual(["tool"])
  })

  it("leaves what was there when an earlier start broke off in the middle, and clears up after it", () => {
    bench().write("../home/.claude/skills", {
      "tool.chorus-old/mine.txt": "x",
      [`temp_chorus_${machine()}_${2 ** 22 + 7}_abc/half`]: "x",
    })
    expect(() => init()).toThrow(expect.objectContaining({ code: "already_there" }) as Error)
    expect(readdirSync(bench().claude("skills"))).toEqual(["tool"])
    expect(existsSync(bench().claude("skills/tool/mine.txt"))).toBe(true)
  })
})
