import { ChorusError, type StatusRow } from "@chorus/contracts"
import type { TerminalAct } from "@chorus/status"

/** The answer to what an agent asks; refused where only its own terminal takes one. */
export function answerTo({ terminalId, state, ask, agent }: StatusRow, isYes: boolean): TerminalAct {
  if (state !== "needsInput")
    throw new ChorusError("not_asked", `Nobody asks anything in ${terminalId}.`, { next: "See `chorus status`." })
  if (ask === null)
    throw new ChorusError("answer_there", `What ${agent} asks there can only be answered in its terminal.`, {
      next: `Go there: chorus status jump ${terminalId}`,
      status: 409,
    })
  return { ask: "answer", question: ask, decision: isYes ? "approve" : "deny" }
}
