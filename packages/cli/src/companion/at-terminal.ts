import { ChorusError, type deliveries } from "@chorus/contracts"
import { readRows, tellTerminal } from "@chorus/status"

/** Whoever wanted to see it then is somewhere else by now. */
const SHOW_WITHIN_MS = 120_000

/**
 * Carries out what a person on the page does about a terminal here. A question that is over needs no answer any more.
 */
export async function atTerminal(socketPath: string, order: deliveries.TerminalOrder): Promise<void> {
  const { terminalId } = order
  if (order.order === "show") {
    if (Date.now() - Date.parse(order.at) > SHOW_WITHIN_MS) return
    return tellTerminal(socketPath, terminalId, { ask: "jump" })
  }
  if (order.order === "seen") {
    const row = (await readRows(socketPath)).find((one) => one.terminalId === terminalId)
    if (row?.unread === true && row.since === order.since) await tellTerminal(socketPath, terminalId, { ask: "seen" })
    return
  }
  const { ask, decision } = order
  await tellTerminal(socketPath, terminalId, { ask: "answer", question: ask, decision }).catch((error: unknown) => {
    if (!(error instanceof ChorusError && ["not_asked", "terminal_gone"].includes(error.code))) throw error
  })
}
