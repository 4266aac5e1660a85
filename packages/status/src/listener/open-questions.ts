import type { Socket } from "node:net"
import { ChorusError } from "@chorus/contracts"
import type { TerminalBook } from "./terminal-book.ts"

/** Permissions that agents ask for over connections that stay open for the answer. */
export interface OpenQuestions {
  /**
   * One of a hook holds the hook up, and lets it go when the question is over; one of a plugin is the plugin's only
   * line.
   */
  add(ask: string, terminalId: string, socket: Socket, isHook: boolean): void
  answer(ask: string, isYes: boolean): void
}

export function openQuestions(book: TerminalBook): OpenQuestions {
  const open = new Map<string, { terminalId: string; socket: Socket; isHook: boolean }>()
  const followed = new WeakSet<Socket>()

  /** A plugin asks all its questions over one connection. */
  function follow(socket: Socket): void {
    if (followed.has(socket)) return
    followed.add(socket)
    socket.once("close", () => open.forEach((question, ask) => question.socket === socket && open.delete(ask)))
  }

  function close(ask: string): void {
    const question = open.get(ask)
    open.delete(ask)
    if (question?.isHook) question.socket.end()
  }

  function closeOthers(terminalId: string): void {
    const current = book.get(terminalId)?.status.ask
    for (const [ask, question] of open) if (question.terminalId === terminalId && ask !== current) close(ask)
  }

  book.forward({ changed: ({ terminalId }) => closeOthers(terminalId), removed: closeOthers })
  return {
    add(ask, terminalId, socket, isHook) {
      open.set(ask, { terminalId, socket, isHook })
      follow(socket)
      closeOthers(terminalId)
    },
    answer(ask, isYes) {
      const question = open.get(ask)
      if (question === undefined || !question.socket.writable)
        throw new ChorusError("not_asked", "Nobody asks that any more.", {
          next: "It was answered elsewhere, or the agent went on without; see `chorus status`.",
          status: 409,
        })
      question.socket.write(`${JSON.stringify({ answer: { ask, decision: isYes ? "approve" : "deny" } })}\n`)
      close(ask)
    },
  }
}
