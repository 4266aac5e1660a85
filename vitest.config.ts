import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const stress = process.env["CHORUS_STRESS"] === "1"
const expect = { poll: { timeout: 30_000 } }
// Vitest would leave one core idle; with two, that is half of the machine.
const maxWorkers = availableParallelism()

// Those that take a minute however short their text is; begun last, one of them would leave the other cores idle.
const LONG = [
  "test/fresh-clone",
  "status/test/opencode",
  "cli/test/board-sessions",
  "hooks/test/connect",
  "server/test/sign-in-stream",
  "web/pages",
  "web/journey",
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`${name}.test.ts`))
    const rest = await super.sort(files.filter((file) => !isLong(file)))
    return [...files.filter(isLong), ...rest]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts"],
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          testTimeout: stress ? 3_600_000 : 120_000,
          hookTimeout: 120_000,
          globalSetup: "packages/testing/src/shared-postgres.ts",
          sequence: { groupOrder: 1 },
          expect,
          maxWorkers,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          testTimeout: stress ? 3_600_000 : 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
          expect,
          maxWorkers,
        },
      },
    ],
  },
})
