import { describe } from "vitest"
import type { EngineName } from "./workspace-fixture.ts"

/** Runs the same tests on the embedded store and on PostgreSQL. */
export function onEachEngine(title: string, tests: (engine: EngineName) => void): void {
  describe.each(["sqlite", "postgres"] as const)(`${title} on %s`, tests)
}

/**
 * The same for what depends on no SQL or lock of one engine alone: on PostgreSQL under stress only. That PostgreSQL
 * understands what the tools ask of it, the contract says every day.
 */
export function onEachEngineUnderStress(title: string, tests: (engine: EngineName) => void): void {
  describe(`${title} on sqlite`, () => tests("sqlite"))
  describe(`${title} on postgres`, { tags: ["stress"] }, () => tests("postgres"))
}
