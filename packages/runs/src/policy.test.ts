import { RunnerPolicy, runs } from "@chorus/contracts"
import { array, assert, boolean, constant, constantFrom, option, property, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { admit } from "./policy.ts"

const MODES = runs.RunMode.options
const program = constantFrom(...runs.RunProgram.options)
const path = constantFrom("/a", "/b", "/b/c", "/etc")
const policies = record({
  folders: array(record({ path, project: option(constantFrom("Shop", "House"), { nil: undefined }) }), {
    maxLength: 3,
  }),
  programs: array(constantFrom("claude", "codex", "opencode")),
  commands: array(constantFrom("agent", "agent --all")),
  mode: constantFrom(...MODES),
  inPlace: boolean(),
})
const asked = record({
  program,
  command: option(constantFrom("agent", "agent --all", "sh -c evil")),
  mode: option(constantFrom(...MODES)),
  inPlace: boolean(),
  folder: option(constantFrom("/a", "/b", "b", "/etc", "../etc")),
  projectName: constant("Shop"),
})

describe("a machine's policy", () => {
  it("is never widened by what a server asks for", () => {
    assert(
      property(policies, asked, (told, run) => {
        const policy = RunnerPolicy.parse(JSON.parse(JSON.stringify(told)))
        let given: ReturnType<typeof admit>
        try {
          given = admit(policy, run)
        } catch {
          return
        }
        const open = policy.folders.filter(({ project }) => project === undefined || project === "Shop")
        expect(open.map((one) => one.path)).toContain(given.folder.path)
        expect(MODES.indexOf(given.mode)).toBeLessThanOrEqual(MODES.indexOf(policy.mode))
        if (run.inPlace) expect(policy.inPlace).toBe(true)
        if (run.program === "command") expect(policy.commands).toContain(run.command)
        else expect(policy.programs).toContain(run.program)
      }),
      { numRuns: 2000 },
    )
  })

  it("that nobody wrote allows nothing", () => {
    const run = {
      program: "claude",
      command: null,
      mode: null,
      inPlace: false,
      folder: null,
      projectName: "Shop",
    } as const
    expect(() => admit(undefined, run)).toThrow("Nobody has allowed runs on this machine.")
    expect(() => admit(RunnerPolicy.parse({}), run)).toThrow('allows no folder for "Shop"')
  })
})
