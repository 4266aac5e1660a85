import { expect, it } from "vitest"
import { inStretches } from "./stretches.ts"

const ROWS = 10_000

/** How many stretches it takes to the last row when each keeps the thread as given. */
async function stretches(read: (rows: number) => void): Promise<number> {
  let count = 0
  await inStretches({ from: ROWS, first: 50 }, async (low, high) => {
    count += 1
    read(high - low + 1)
    return false
  })
  return count
}

it("makes stretches longer as long as they take no time", async () => {
  expect(await stretches(() => undefined)).toBeLessThan(10)
})

it("makes stretches shorter that compute for long", async () => {
  const lengths: number[] = []
  await inStretches({ from: 400, first: 200 }, async (low, high) => {
    lengths.push(high - low + 1)
    compute((high - low + 1) / 5)
    return false
  })
  expect(lengths[0]).toBe(200)
  expect(Math.max(...lengths.slice(1))).toBeLessThan(60)
})

it("makes no stretch shorter that only waited for a processor, as on a busy machine it would never come to an end", async () => {
  expect(await stretches(() => waitWithoutComputing(10))).toBeLessThanOrEqual(ROWS / 50)
})

function compute(milliseconds: number): void {
  const used = () => process.threadCpuUsage().user / 1000
  for (const began = used(); used() - began < milliseconds;);
}

/** Keeps the thread, as the system does that gives the processor to somebody else. */
function waitWithoutComputing(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
