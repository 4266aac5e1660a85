import { expect, it } from "vitest"
import { answerWeights } from "./answer-weight.ts"

it("an agent's answers weigh no more than they may", async () => {
  const weights = await answerWeights()
  expect(weights.map(({ name, bytes, atMost }) => `${name}: ${Math.round(bytes)} B of ${atMost}`)).toEqual(
    weights.map(({ name, bytes, atMost }) => `${name}: ${Math.round(Math.min(bytes, atMost))} B of ${atMost}`),
  )
})
