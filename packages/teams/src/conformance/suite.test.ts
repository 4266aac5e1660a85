import { TeamPermissionMode } from "@chorus/contracts"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { SCRATCH_PLACE } from "../../test/scratch-team.ts"
import { chorusSubject, conformanceCases, type ConformanceSubject } from "./index.ts"

const cases = conformanceCases()

beforeAll(() => void vi.stubEnv("TMPDIR", SCRATCH_PLACE))
afterAll(() => void vi.unstubAllEnvs())

test.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  await one.run(chorusSubject())
})

test("no row lets a type that only looks change anything", () => {
  const { terms } = chorusSubject()
  for (const type of ["Explore", "Plan"])
    for (const mode of TeamPermissionMode.options.filter((one) => one !== "plan")) {
      expect(terms("claude", type, mode).flags.at(-1), mode).not.toMatch(/Write|Edit|Bash/)
      expect(terms("codex", type, mode).flags, mode).toEqual(["-c", 'sandbox_mode="read-only"'])
      expect(terms("opencode", type, mode).permission, mode).toMatchObject({ edit: "deny", bash: "deny", task: "deny" })
    }
})

test("finds an implementation for which a killed member lives on", async () => {
  const blind: ConformanceSubject = {
    ...chorusSubject(),
    look: async () => ({ states: { rose: "working" }, open: [] }),
  }
  await expect(cases.find((one) => one.name.includes("trace dead-member"))?.run(blind)).rejects.toThrow()
})

test("covers both eras, every kind and the claim and shutdown protocols", () => {
  const names = cases.map((one) => one.name).join("\n")
  for (const part of [
    "2.1.41",
    "2.1.325-pane",
    "2.1.325-in-process",
    "permission_request",
    "plan_approval_request",
    "broadcast",
    "unknown-kind",
    "trace claim",
    "trace shutdown",
    "trace names",
    "trace plan-replaced",
    "trace dead-member",
    "type Explore of codex in mode bypassPermissions",
    "type Bash of opencode in mode plan",
    "type Plan of claude in mode delegate",
  ]) {
    expect(names).toContain(part)
  }
})

test("finds an implementation that drops a field it does not know", async () => {
  const honest = chorusSubject()
  const { TeamInboxEntry } = await import("@chorus/contracts")
  const { readFileSync, readdirSync, writeFileSync } = await import("node:fs")
  const { join } = await import("node:path")
  const forgetful: ConformanceSubject = {
    ...honest,
    async rewrite(root) {
      const folder = join(root, "teams", "feb-team", "inboxes")
      for (const file of readdirSync(folder)) {
        const entries = JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, unknown>[]
        const known = Object.keys(TeamInboxEntry.shape)
        writeFileSync(
          join(folder, file),
          JSON.stringify(
            entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => known.includes(key)))),
          ),
        )
      }
    },
  }
  const unknown = cases.find((one) => one.name.includes("unknown-kind"))
  await expect(unknown?.run(forgetful)).rejects.toThrow()
})
