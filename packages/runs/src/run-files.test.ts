import { expect, it } from "vitest"
import { countedAnew, spentBy } from "./run-files.ts"

const tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }
const NOTHING = { usage: { ...tokens, costUsd: null } }
/** Tells what each process of a program says that it has counted. */
const after = (...told: readonly unknown[]) =>
  told.reduce<Parameters<typeof spentBy>[0]>((run, counted) => spentBy(run, counted) ?? run, NOTHING)

it.each([
  ["a program that goes on counting", [0.0484, 0.0808, 0.1132, 0.1456], 0.1456],
  ["one that counts anew, being told of the same amount twice", [0.0368, 0.0324, 0.0324, 0.05], 0.0368 + 0.05],
  ["one that counts anew again and again", [0.2, 0.1, 0.05], 0.35],
  ["one that tells no amount", ["0.2", undefined], undefined],
])("what was spent is known of %s", (_what, told, costUsd) => {
  const { usage } = after(...told)
  if (costUsd === undefined) expect(usage.costUsd).toBeNull()
  else expect(usage.costUsd).toBeCloseTo(costUsd, 10)
})

it("adds what a new conversation of the run costs", () => {
  const first = after(0.2)
  const second = { ...first, ...countedAnew(first) }
  expect(spentBy(second, 0.3)?.usage.costUsd).toBeCloseTo(0.5, 10)
})
