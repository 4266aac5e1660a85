import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { SCRATCH_PLACE } from "../../test/scratch-team.ts"
import { chorusSubject, conformanceCases, type ConformanceSubject } from "./index.ts"

const cases = conformanceCases()

beforeAll(() => void vi.stubEnv("TMPDIR", SCRATCH_PLACE))
afterAll(() => void vi.unstubAllEnvs())

test.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  await one.run(chorusSubject())
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
