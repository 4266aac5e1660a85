import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const stress = process.env["CHORUS_STRESS"] === "1"
const expect = { poll: { timeout: 60_000 } }
// Vitest would leave one core idle; with two, that is half of the machine.
const maxWorkers = availableParallelism()
// Each real program in each scenario: what one run of each program and vintage leaves over.
const exclude = [...configDefaults.exclude, ...(stress ? [] : ["**/*.matrix.test.ts"])]
// What says again, in another place or more often, what a test of every day says; `scripts/test.mjs` leaves it out.
const tags = [{ name: "stress", description: "runs under npm run stress only" }]

// Those that take half a minute however short their text is; begun last, one of them would leave the other cores idle.
const LONG = [
  "test/snippets",
  "cli/test/runs",
  "test/walk",
  "cli/test/checks",
  "cli/test/data",
  "test/package",
  "cli/test/landing",
  "cli/test/team-landing",
  "teams/test/command",
  "status/test/command",
  "cli/test/run-programs",
  "status/test/claude",
  "status/test/opencode",
  "cli/test/companion",
  "teams/test/backends",
  "cli/test/workplace",
  "server/test/kill",
  "cli/test/team-machines",
  "changes/test/capture",
  "plugins/test/translate",
  "hooks/test/connect",
  "cli/test/run-kills",
  "teams/test/claude-code",
  "test/faults/random-kill",
  "server/test/conformance",
  "status/test/codex",
  "cli/test/start",
  "hooks/test/questions",
  "hooks/test/terminal",
  "server/test/sign-in",
  "web/pages",
  "web/first-command",
  "web/xss",
  "web/sign-in",
  "web/content",
  "web/verify",
  "web/first-run",
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONG.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
    const isLong = (file: TestSpecification) => rank(file) >= 0
    const rest = await super.sort(files.filter((file) => !isLong(file)))
    const first = files.filter(isLong).toSorted((one, other) => rank(one) - rank(other))
    return [...first, ...rest]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    tags,
    projects: [
      {
        test: {
          name: "unit",
          tags,
          include: ["packages/*/src/**/*.test.ts"],
          isolate: false,
          maxWorkers: maxWorkers + 1,
          sequence: { groupOrder: 0 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "integration",
          tags,
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude,
          // The files of a worker share what they import: reading it anew cost more than most of them take.
          isolate: false,
          testTimeout: stress ? 3_600_000 : 300_000,
          hookTimeout: 300_000,
          globalSetup: "packages/testing/src/shared-postgres.ts",
          sequence: { groupOrder: 1 },
          expect,
          // Tests beside each other within a file wait for programs and for people.
          maxConcurrency: 12,
          // Three more than there are cores: most of this is waiting for programs.
          maxWorkers: maxWorkers + 3,
        },
      },
      {
        test: {
          name: "e2e",
          tags,
          include: ["e2e/**/*.test.ts"],
          globalSetup: "e2e/browser-name.ts",
          isolate: false,
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
