import { ChorusError, type StatusRow } from "@chorus/contracts"
import type { TerminalAct } from "@chorus/status"

/** The answer to what an agent asks; refused where only its own terminal takes one. */
export function answerTo({ terminalId, state, ask, agent }: StatusRow, isYes: boolean): TerminalAct {
  if (state !== "needsInput")
    throw new ChorusError("not_asked", `Nobody asks anything in ${terminalId}.`, { next: "See `chorus status`." })
  if (ask === null) {
    const next = `Go there: chorus status jump ${terminalId}.`
    const what = `What ${agent} asks in ${terminalId} takes no answer from this command.`
    throw new ChorusError("answer_there", what, { next, status: 409 })
  }
  return { ask: "answer", question: ask, decision: isYes ? "approve" : "deny" }
}

const SHOWN = 60

/** Whether the row of a table has all that is asked for. */
export function isShownWhole({ detail, asks }: Pick<StatusRow, "detail" | "asks">): boolean {
  return asks !== null && asks.length <= SHOWN && detail?.endsWith(asks) === true
}
