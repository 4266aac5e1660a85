import { TEAM_LEAD, type TeamMember, type TeamMemberState, type TeamSettledHow } from "@chorus/contracts"
import type { Received } from "../files/index.ts"
import { bodyOf } from "../protocol/body.ts"

export interface OpenRequest {
  readonly request: "plan" | "permission" | "shutdown"
  readonly requestId: string
  readonly member: string
  readonly text: string
  readonly toolName?: string | undefined
  readonly input?: Record<string, unknown> | undefined
}

export interface SettledRequest extends Pick<OpenRequest, "request" | "requestId" | "member" | "toolName"> {
  readonly approved: boolean
  readonly how: TeamSettledHow
  /** The person, by name. */
  readonly by?: string | undefined
  readonly text?: string | undefined
  /** When it was said; left out of what is over by itself. */
  readonly settledAt?: string | undefined
}

/** Whose word a message carries: an answer that settles a request is one that the member itself would obey. */
export interface Weight {
  readonly plan: boolean
  readonly permission: boolean
  /** Whose mark it bears; one without is the lead's. */
  readonly person: { readonly by: string | undefined } | undefined
}

/**
 * What the messages of a team say about its members, without I/O: feed it each message once, in whichever order it was
 * seen.
 */
export class MemberStates {
  readonly #heard = new Map<string, TeamMemberState>()
  /** Who has said so once when a turn of theirs was over. */
  readonly #tellTurns = new Set<string>()
  readonly #open = new Map<string, OpenRequest>()
  /**
   * Whose request is over, by its id: inboxes are read one after the other, so an answer may be heard before its
   * question.
   */
  readonly #over = new Map<string, string>()

  /**
   * `to` got this message. Returns a request that it opened or settled; nobody opens or settles a request of another.
   */
  hear(to: string, { entry }: Received, weight: Weight): { opened?: OpenRequest; settled?: SettledRequest } {
    const body = bodyOf(entry.text)
    const settledAt = entry.timestamp
    const decided = { how: weight.person === undefined ? "lead" : "person", by: weight.person?.by, settledAt } as const
    switch (body?.type) {
      case "idle_notification":
        this.#heard.set(entry.from, "idle")
        this.#tellTurns.add(entry.from)
        return {}
      case "plan_approval_request":
        return this.#planned({ request: "plan", requestId: body.requestId, member: entry.from, text: body.planContent })
      case "permission_request":
        return this.#opened({
          request: "permission",
          requestId: body.request_id,
          member: entry.from,
          text: body.description,
          toolName: body.tool_name,
          input: body.input,
        })
      case "shutdown_request":
        return this.#opened({ request: "shutdown", requestId: body.requestId, member: to, text: body.reason ?? "" })
      case "plan_approval_response":
        if (!weight.plan) return {}
        return this.#settled(body.requestId, {
          ...decided,
          request: "plan",
          member: to,
          approved: body.approved,
          text: body.feedback,
        })
      case "permission_response":
        if (!weight.permission) return {}
        return this.#settled(body.request_id, {
          ...decided,
          request: "permission",
          member: to,
          approved: body.subtype === "success",
          text: body.error,
        })
      case "shutdown_approved":
        this.#heard.set(entry.from, "leaving")
        return this.#settled(body.requestId, {
          request: "shutdown",
          member: entry.from,
          how: "member",
          approved: true,
          settledAt,
        })
      case "shutdown_rejected":
        return this.#settled(body.requestId, {
          request: "shutdown",
          member: entry.from,
          how: "member",
          approved: false,
          text: body.reason,
          settledAt,
        })
      default:
        if (to !== TEAM_LEAD) this.#heard.set(to, "working")
        return {}
    }
  }

  request(requestId: string): OpenRequest | undefined {
    return this.#open.get(requestId)
  }

  /** What nobody waits for any more, as the one who asked has left. */
  left(name: string): SettledRequest[] {
    // Who comes under that name next has said nothing yet.
    this.#heard.delete(name)
    return this.#end("left", ({ member }) => member === name)
  }

  /** The same of one whose process died. A plan still counts, as its member can be started again. */
  died(name: string): SettledRequest[] {
    return this.#end("died", ({ member, request }) => member === name && request !== "plan")
  }

  /** It has agreed to go, and its end is no surprise. */
  isLeaving(name: string): boolean {
    return this.#heard.get(name) === "leaving"
  }

  stateOf(member: TeamMember): TeamMemberState {
    const waits = [...this.#open.values()].some(
      (request) => request.member === member.name && request.request !== "shutdown",
    )
    if (waits) return "needsInput"
    const heard = this.#heard.get(member.name)
    if (heard === "leaving") return "leaving"
    if (member.isActive !== undefined) return member.isActive ? "working" : "idle"
    // Whoever came by itself may never say that its turn is over: what it gets does not tell that it works.
    const isRun = member.backendType !== undefined || this.#tellTurns.has(member.name)
    return heard === undefined || !isRun ? "unknown" : heard
  }

  /** Of a member's plans the newest counts. */
  #planned(request: OpenRequest): { opened?: OpenRequest; settled?: SettledRequest } {
    const { opened } = this.#opened(request)
    // Also by one that was answered already: the answer may lie in an inbox that is read first.
    const [settled] = this.#end(
      "replaced",
      (other) => other.request === "plan" && other.member === request.member && other !== request,
    )
    return { ...(opened === undefined ? {} : { opened }), ...(settled === undefined ? {} : { settled }) }
  }

  #end(how: TeamSettledHow, which: (request: OpenRequest) => boolean): SettledRequest[] {
    return [...this.#open.values()].filter(which).map(({ request, requestId, member, toolName }) => {
      this.#over.set(requestId, member)
      this.#open.delete(requestId)
      return { request, requestId, member, toolName, approved: false, how }
    })
  }

  #opened(request: OpenRequest): { opened?: OpenRequest } {
    if (this.#isOfAnother(request) || this.#over.get(request.requestId) === request.member) return {}
    this.#open.set(request.requestId, request)
    return { opened: request }
  }

  #settled(requestId: string, outcome: Omit<SettledRequest, "requestId">): { settled?: SettledRequest } {
    const settled = { requestId, toolName: this.#open.get(requestId)?.toolName, ...outcome }
    if (this.#isOfAnother(settled)) return {}
    this.#open.delete(requestId)
    this.#over.set(requestId, outcome.member)
    return { settled }
  }

  #isOfAnother({ requestId, member }: Pick<OpenRequest, "requestId" | "member">): boolean {
    const open = this.#open.get(requestId)
    return open !== undefined && open.member !== member
  }
}
