import { createHash } from "node:crypto"
import { type Client, isPassing } from "@chorus/client"
import type { TeamFact } from "@chorus/contracts"
import { toolWords } from "@chorus/core"
import { oneLine } from "../output.ts"
import { pause } from "./pause.ts"

type Request = Extract<TeamFact, { fact: "request" }>

const RETRY_MS = 2000
const MOST_OPEN = 100
/** The server takes a detail of 200,000 characters; a question that was too long for it would never be seen. */
const LONGEST = 150_000

export interface Questions {
  hear(fact: TeamFact): void
  /** Everybody who is there has been heard of: what others asked in an earlier life of this companion is over. */
  looked(): void
  /** Resolves when everything said so far has reached the server; one that is away is not waited for. */
  close(): Promise<void>
}

/** Puts what a team member waits for into the people's queue on the server, once each, and takes it back when it is over. */
export function openQuestions(client: Client, machine: string): Questions {
  /** By what it is about: the question's id on the server, and who asks. */
  const open = new Map<string, { readonly uuid: string; readonly who: string }>()
  const present = new Set<string>()
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

  // What was asked by a companion that ended is still there.
  inOrder(async () => {
    const { attentions } = await client.call("chorus_list_attentions", { open: true, pageSize: MOST_OPEN })
    for (const { uuid, detail } of attentions) {
      const { machine: where, team, member, requestId } = detail
      if (where === machine && typeof requestId === "string")
        open.set(aboutOf(String(team), requestId), { uuid, who: whoOf(String(team), String(member)) })
    }
  })

  function ask(fact: Request): void {
    const { team, member, program, requestId, request, text, toolName, input, decidable } = fact
    const about = aboutOf(team, requestId)
    const title = titleOf(
      `${member}: ${toolName === undefined ? text.trim().split("\n")[0] || request : toolWords(toolName, input)}`,
    )
    // Nobody decides on what they cannot see whole; `chorus team decide` shows it.
    const whole = text.length + JSON.stringify(input ?? {}).length <= LONGEST
    const detail = {
      machine,
      team,
      member,
      program,
      requestId,
      request,
      text: whole ? text : `${text.slice(0, LONGEST / 2)}…`,
      toolName,
      input: whole ? input : undefined,
    }
    inOrder(async () => {
      if (open.has(about)) return
      const { uuid } = await client.call(
        "chorus_create_attention",
        { kind: request, title, answerable: decidable && whole, detail },
        // The same key each time: a question that was answered here but not yet where it was asked is not asked again.
        { idempotencyKey: keyFor(`${machine}:${about}`) },
      )
      open.set(about, { uuid, who: whoOf(team, member) })
    })
  }

  function withdraw(which: (about: string, who: string) => boolean): void {
    inOrder(async () => {
      for (const [about, { uuid, who }] of open) {
        if (!which(about, who)) continue
        await client.call("chorus_withdraw_attention", { attentionUuid: uuid }).catch((error: unknown) => {
          // Refused, it was answered or is gone already.
          if (isPassing(error)) throw error
        })
        open.delete(about)
      }
    })
  }

  return {
    hear(fact) {
      // Whether to go is the member's to say, not a person's.
      if (fact.fact === "request" && fact.request !== "shutdown") ask(fact)
      if (fact.fact === "request_settled") {
        const settled = aboutOf(fact.team, fact.requestId)
        withdraw((about) => about === settled)
      }
      if (fact.fact === "member") present.add(whoOf(fact.team, fact.member.name))
      if (fact.fact === "member_left") {
        const left = whoOf(fact.team, fact.name)
        present.delete(left)
        withdraw((_, who) => who === left)
      }
    },
    looked: () => withdraw((_, who) => !present.has(who)),
    async close() {
      closing.abort()
      await queue
    },
  }
}

function aboutOf(team: string, requestId: string): string {
  return `team:${team}:${requestId}`
}

function whoOf(team: string, member: string): string {
  return JSON.stringify([team, member])
}

/** A key travels in a header, which takes neither every letter of a name nor any length. */
function keyFor(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** Agents write titles with line breaks and colours, which the server refuses. */
function titleOf(text: string): string {
  return oneLine(text).slice(0, 300)
}
