import { createHash } from "node:crypto"
import { type Client, isPassing } from "@chorus/client"
import type { TeamFact } from "@chorus/contracts"
import { oneLine } from "../output.ts"
import { pause } from "./pause.ts"

type Request = Extract<TeamFact, { fact: "request" }>
type Settled = Extract<TeamFact, { fact: "request_settled" }>

const RETRY_MS = 2000
/** The server takes a detail of 200,000 characters; a question that was too long for it would never be seen. */
const LONGEST_TEXT = 100_000
const LONGEST_INPUT = 50_000

export interface Questions {
  asked(fact: Request): void
  settled(fact: Settled): void
  /** Resolves when everything said so far has reached the server; one that is away is not waited for. */
  close(): Promise<void>
}

/** Puts what a team member waits for into the people's queue on the server, once each, and takes it back when it is over. */
export function openQuestions(client: Client, machine: string): Questions {
  /** By what it is about: the question's id on the server. */
  const open = new Map<string, string>()
  /** What is over for good. A first look reads inboxes one after the other: an answer may be heard before its question. */
  const over = new Set<string>()
  const closing = new AbortController()
  let queue: Promise<void> = Promise.resolve()
  let givenUp = false
  const inOrder = (work: () => Promise<void>) => {
    queue = queue.then(() => untilItArrived(work))
  }

  async function untilItArrived(work: () => Promise<void>): Promise<void> {
    while (!givenUp) {
      try {
        return await work()
      } catch (error) {
        if (!isPassing(error)) return
        givenUp = closing.signal.aborted
      }
      await pause(RETRY_MS, closing.signal)
    }
  }

  function ask(
    about: string,
    input: Parameters<typeof client.call<"chorus_create_attention">>[1],
    idempotencyKey: string,
  ): void {
    inOrder(async () => {
      if (open.has(about)) return
      const { uuid } = await client.call("chorus_create_attention", input, { idempotencyKey })
      open.set(about, uuid)
    })
  }

  function withdraw(about: string): void {
    inOrder(async () => {
      const attentionUuid = open.get(about)
      if (attentionUuid === undefined) return
      await client.call("chorus_withdraw_attention", { attentionUuid }).catch((error: unknown) => {
        // Refused, it was answered or is gone already.
        if (isPassing(error)) throw error
      })
      open.delete(about)
    })
  }

  return {
    asked(fact) {
      const { team, member, requestId, request, text, toolName, input, decidable } = fact
      const title = titleOf(`${member}: ${toolName ?? (text.trim().split("\n")[0] || request)}`)
      const about = `team:${team}:${requestId}`
      if (over.has(about)) return
      const detail = {
        machine,
        team,
        member,
        requestId,
        request,
        text: shortened(text),
        toolName,
        input: JSON.stringify(input ?? {}).length > LONGEST_INPUT ? undefined : input,
      }
      // The same key each time: after a restart the question that is already there is found, not asked again.
      ask(about, { kind: request, title, answerable: decidable, detail }, keyFor(`${machine}:${about}`))
    },
    settled({ team, requestId }) {
      over.add(`team:${team}:${requestId}`)
      withdraw(`team:${team}:${requestId}`)
    },
    async close() {
      closing.abort()
      await queue
    },
  }
}

/** A key travels in a header, which takes neither every letter of a name nor any length. */
function keyFor(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** Agents write titles with line breaks and colours, which the server refuses. */
function titleOf(text: string): string {
  return oneLine(text).slice(0, 300)
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}
