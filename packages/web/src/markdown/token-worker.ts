// oxlint-disable unicorn/require-post-message-target-origin -- a worker's page has no target
// Reads long Markdown beside the page: whatever it takes, the page goes on.
import type { Token } from "marked"
import { asItStands, carefulTokens } from "./careful-lexer.ts"

export type WorkerMessage = "begun" | readonly Token[]

/** More than this nobody reads in one piece, and the page could not show it without stopping. */
const MOST_TOKENS = 20_000

addEventListener("message", ({ data: source }: MessageEvent<string>) => {
  postMessage("begun" satisfies WorkerMessage)
  const tokens = carefulTokens(source)
  postMessage((count(tokens) > MOST_TOKENS ? asItStands(source) : tokens) satisfies WorkerMessage)
})

function count(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  const inner = Object.values(value).reduce<number>((sum, one) => sum + count(one), 0)
  return "raw" in value ? inner + 1 : inner
}
