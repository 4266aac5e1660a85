import type { Client } from "@chorus/client"
import type { attentions, StatusRow, TeamDecision, TeamFact } from "@chorus/contracts"

type Request = Extract<TeamFact, { fact: "request" }>
type Settled = Extract<TeamFact, { fact: "request_settled" }>

export interface Questions {
  terminal(row: StatusRow): void
  terminalGone(terminalId: string): void
  asked(fact: Request): void
  settled(fact: Settled): void
  /** What a person answered to a question of this machine; undefined when it was somebody else's. */
  decisionFor(attention: attentions.AttentionRow): TeamDecision | undefined
  /** Resolves when everything said so far has reached the server. */
  idle(): Promise<void>
}

/** Puts what an agent waits for into the people's queue on the server, once each, and takes it back when it is over. */
export function openQuestions(client: Client, machine: string): Questions {
  /** By what it is about: the question's id on the server. */
  const open = new Map<string, string>()
  let queue: Promise<void> = Promise.resolve()
  const inOrder = (work: () => Promise<void>) => {
    queue = queue.then(work).catch(() => undefined)
  }

  function ask(about: string, input: Parameters<typeof client.call<"chorus_create_attention">>[1], idempotencyKey?: string): void {
    inOrder(async () => {
      if (!open.has(about)) open.set(about, (await client.call("chorus_create_attention", input, { idempotencyKey })).uuid)
    })
  }

  function withdraw(about: string): void {
    inOrder(async () => {
      const attentionUuid = open.get(about)
      if (attentionUuid === undefined) return
      open.delete(about)
      await client.call("chorus_withdraw_attention", { attentionUuid })
    })
  }

  return {
    terminal(row) {
      const about = `terminal:${row.terminalId}`
      if (row.state !== "needsInput") return withdraw(about)
      const title = row.title ?? row.detail ?? `${row.agent} needs input`
      const detail = { machine, terminalId: row.terminalId, agent: row.agent, waitsFor: row.detail, reason: row.reason }
      ask(about, { kind: "input", title: title.slice(0, 300), answerable: false, detail })
    },
    terminalGone: (terminalId) => withdraw(`terminal:${terminalId}`),
    asked(fact) {
      const { team, member, requestId, request, text, toolName, input, decidable } = fact
      const title = `${member}: ${toolName ?? text.split("\n")[0] ?? request}`.slice(0, 300)
      const about = `team:${team}:${requestId}`
      // The same key each time: after a restart the question that is already there is found, not asked again.
      ask(about, { kind: request, title, answerable: decidable, detail: { machine, team, member, requestId, request, text, toolName, input } }, `${machine}:${about}`)
    },
    settled: ({ team, requestId }) => withdraw(`team:${team}:${requestId}`),
    decisionFor(attention) {
      const { machine: on, team, member, requestId, request } = attention.detail
      if (on !== machine || attention.answer?.decision === undefined) return undefined
      if (typeof team !== "string" || typeof member !== "string" || typeof requestId !== "string") return undefined
      const decided = { team, member, requestId, by: attention.answeredBy?.name ?? "a person", approved: attention.answer.decision === "approve" }
      const words = attention.answer.text
      if (request === "plan") return { decision: "plan", ...decided, ...(words === undefined ? {} : { feedback: words }) }
      if (request === "permission") return { decision: "permission", ...decided, ...(words === undefined ? {} : { reason: words }) }
      return undefined
    },
    idle: () => queue,
  }
}
