import type { runs } from "@chorus/contracts"
import type { AgentSession, Asked } from "./agent-session.ts"
import type { RunReport } from "./reporter.ts"
import { oneLine } from "./run-words.ts"
import { cut, type Transcript } from "./transcript.ts"

const LONGEST_DETAIL = 100_000
const KEPT =
  "what people answer is kept. Put it into a variable that this machine hands on (`chorus runner allow DIR --env NAME`), and tell the agent its name."

export interface AsksOptions {
  readonly transcript: Transcript
  readonly session: () => AgentSession | undefined
  tell(report: RunReport): void
  /** What a person said beside their no. */
  sayNext(words: string): void
}

/** What one process of an agent's program asked, and what became of it. */
export interface Asks {
  ask(asked: Asked): void
  settled(requestId: string): void
  answer(order: runs.RunOrder & { order: "answer" }): void
}

export function openAsks({ transcript, session, tell, sayNext }: AsksOptions): Asks {
  /** A program counts its requests anew in every process. */
  const born = Date.now()
  const keyOf = (requestId: string) => `${born}-${requestId}`
  const asks = new Map<
    string,
    { readonly entry: string; readonly data: Readonly<Record<string, unknown>>; readonly answered: boolean }
  >()

  return {
    ask(asked) {
      const title = oneLine(asked.title).slice(0, 300) || "The agent asks"
      if (asked.isSecret === true) {
        transcript.say("note", `It asked for a secret ("${title}"), and Chorus refused: ${KEPT}`)
        return void session()?.answer(asked.requestId, { decision: "deny" })
      }
      const requestId = keyOf(asked.requestId)
      const data = { kind: asked.kind, requestId }
      const entry = transcript.say("ask", asked.title, { title, status: "open", data })
      asks.set(asked.requestId, { entry, data, answered: false })
      const text = JSON.stringify(asked.detail)
      const detail = text.length > LONGEST_DETAIL ? { cut: cut(text, LONGEST_DETAIL / 5) } : asked.detail
      const { kind, expiresInMs } = asked
      tell({ asks: [{ requestId, kind, title, detail, expiresInMs }] })
    },
    /** Taken back by the agent, or over with its turn; an answered one has told so itself. */
    settled(requestId) {
      const asked = asks.get(requestId)
      if (asked === undefined || asked.answered) return
      transcript.change(asked.entry, { status: "over" })
      tell({ settled: [keyOf(requestId)] })
    },
    answer({ requestId, decision, text, data, by }) {
      const [open, asked] = [...asks].find(([key]) => keyOf(key) === requestId) ?? []
      if (open === undefined || asked === undefined || asked.answered) return
      asks.set(open, { ...asked, answered: true })
      const said = `${by}: ${text ?? decision ?? ""}`
      transcript.change(asked.entry, { status: decision ?? "answered", text: said, data: { ...asked.data, by } })
      session()?.answer(open, { decision, text, data })
      if (decision === "deny" && text !== undefined && text.trim() !== "") sayNext(text)
    },
  }
}
