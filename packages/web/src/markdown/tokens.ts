// oxlint-disable unicorn/require-post-message-target-origin -- a worker has no target
import type { Token } from "marked"
import { useEffect, useMemo, useState } from "react"
import { asItStands, carefulTokens } from "./careful-lexer.ts"
import type { WorkerMessage } from "./token-worker.ts"

/** Up to this length the careful lexer is done within a frame or two, whatever the text. */
const LONGEST_AT_ONCE = 8000
const DEADLINE_MS = 1000

let worker: Worker | undefined
let turn: Promise<unknown> = Promise.resolve()

/** The tokens of a text: a short one's at once, a long one's when they are read, and until then those of the text before. */
export function useTokens(source: string): readonly Token[] {
  const isLong = source.length > LONGEST_AT_ONCE
  const atOnce = useMemo(() => (isLong ? undefined : carefulTokens(source)), [isLong, source])
  const [read, setRead] = useState<readonly Token[]>([])
  useEffect(() => {
    if (!isLong) return
    let wanted = true
    void tokensAside(source).then((tokens) => wanted && setRead(tokens))
    return () => {
      wanted = false
    }
  }, [isLong, source])
  return atOnce ?? read
}

/** One text at a time: the deadline is for that text alone. */
function tokensAside(source: string): Promise<readonly Token[]> {
  const answer = turn.then(() => ask(source))
  turn = answer
  return answer
}

function ask(source: string): Promise<readonly Token[]> {
  return new Promise((resolve) => {
    const asked = (worker ??= new Worker(new URL("./token-worker.ts", import.meta.url), { type: "module" }))
    const answered = new AbortController()
    const { signal } = answered
    const answer = (tokens: readonly Token[]) => {
      answered.abort()
      resolve(tokens)
    }
    const giveUp = () => {
      asked.terminate()
      worker = undefined
      answer(asItStands(source))
    }
    const hear = ({ data }: MessageEvent<WorkerMessage>) => {
      if (data !== "begun") return answer(data)
      const deadline = setTimeout(giveUp, DEADLINE_MS)
      signal.addEventListener("abort", () => clearTimeout(deadline))
    }
    asked.addEventListener("message", hear, { signal })
    asked.addEventListener("error", giveUp, { signal })
    asked.postMessage(source)
  })
}
