import { answerWeights } from "../packages/server/test/answer-weight.ts"
import type { Figure } from "./figure.ts"

/** What an agent's answers weigh with lean tools. */
export async function bench(): Promise<Figure[]> {
  return (await answerWeights()).map(({ name, bytes, atMost }) => ({
    name,
    value: bytes,
    unit: "B",
    budget: { atMost },
  }))
}
