import { describe } from "vitest"
import type { EngineName } from "./workspace-fixture.ts"

/** Runs the same tests on the embedded store and on PostgreSQL. */
export function onEachEngine(title: string, tests: (engine: EngineName) => void): void {
  describe.each(["sqlite", "postgres"] as const)(`${title} on %s`, tests)
}
