import { defineConfig } from "vitest/config"

const stress = process.env["CHORUS_STRESS"] === "1"
// Real programs, databases and browsers share a machine with whatever else CI runs: there a test may try again.
const retry = process.env["CI"] === undefined ? 0 : 2
const expect = { poll: { timeout: 30_000 } }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts"],
          isolate: false,
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
          sequence: { groupOrder: 1 },
          retry,
          expect,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          testTimeout: stress ? 3_600_000 : 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
          retry,
          expect,
          maxWorkers: 2,
        },
      },
    ],
  },
})
