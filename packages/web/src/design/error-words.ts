import { ChorusError } from "@chorus/contracts"
import { refusal, say, type TextKey } from "../i18n/language.ts"

export interface ErrorWords {
  readonly title: string
  /** What to do next, where that is meant for people. */
  readonly detail: string | undefined
  /** Nothing helps but signing in again. */
  readonly signIn: boolean
}

/** An operation, a header or an option: advice for whoever calls by program. */
const FOR_PROGRAMS =
  /chorus_\w|\bheader\b|Authorization|\bMCP\b|[a-z]+:(?:read|write|admin)\b|\b[a-z]+_[a-z]+\b|--[a-z]|\bcall again\b/

/** As the server says that a field named so does not hold an address. */
const EMAIL_FAULT = /(?:^|[ .])email: Invalid/

/** The name of a rule for plans, which stands before what it says. */
const RULE = /\b[EWI](?:\d|-[A-Z]+) /g

/** What the server words for agents, by names of states and tools. */
const SAID_OTHERWISE: Readonly<Record<string, TextKey>> = {
  unauthenticated: "error.of.unauthenticated",
  wrong_status: "error.of.wrong_status",
  criteria_not_passed: "error.of.criteria_not_passed",
  review_missing: "error.of.review_missing",
  review_required: "error.of.review_required",
  server_unreachable: "error.of.server_unreachable",
  internal: "error.of.internal",
  link_replaced: "error.of.link_replaced",
  link_expired: "error.of.link_expired",
  link_used: "error.of.link_used",
}

/** What went wrong, in words for people: the server speaks to agents and programs too. */
export function wordsOf(error: unknown): ErrorWords {
  if (!(error instanceof ChorusError))
    return { title: error instanceof Error ? error.message : say("error.unknown"), detail: undefined, signIn: false }
  const { code, message, next } = error
  const known = code === "invalid_input" && EMAIL_FAULT.test(message) ? "field.email" : SAID_OTHERWISE[code]
  const plain = message.replaceAll(RULE, "")
  const told = known === undefined ? refusal(code, plain) : say(known)
  const detail = told !== undefined || next === undefined || FOR_PROGRAMS.test(next) ? undefined : next
  return {
    title: told ?? plain,
    detail,
    signIn: code === "unauthenticated",
  }
}
