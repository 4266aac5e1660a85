import type { attentions, EventKind, NewEvent, notifications, PatchOf } from "@chorus/contracts"
import { preview } from "./mentions.ts"

type NotificationAction = notifications.NotificationAction

/** Somebody who can be told. */
export interface Party {
  readonly type: "user" | "agent"
  readonly uuid: string
}

/** How somebody can be tied to what changed. */
export type Bond =
  | "assignee"
  | "previousAssignee"
  | "previousOwner"
  | "creator"
  | "actorOwner"
  | "author"
  | "ideaPeople"
  | "threadAuthor"
  | "teammates"
  | "dependents"
  | "stewards"
  | "agentOwner"
  | "asker"
  /** Who gave an answer. */
  | "answerer"
  /** Who wanted what has come to a stop. */
  | "wisher"
  /** Who holds the ideas behind it. */
  | "ideaHolder"
  /** Who holds unfinished tasks that came of it. */
  | "builders"

export interface NotificationRule<K extends EventKind = EventKind> {
  readonly action: NotificationAction
  readonly to: readonly Bond[]
  /** Only people, not agents, are told. */
  readonly peopleOnly?: boolean
  /** Leaves out what would be told twice, or tells nothing. */
  only?(patch: PatchOf<K>): boolean
  /** Who is told when `to` yields nobody. */
  readonly otherwise?: readonly Bond[]
  /** Nothing, when there is nothing to tell of this one. */
  says(actor: string, title: string, patch: PatchOf<K>): string | undefined
}

const status = <K extends EventKind>(
  says: NotificationRule<K>["says"],
  to: readonly Bond[] = ["assignee", "creator"],
): NotificationRule<K> => ({ action: "task_status_changed", to, says })

/** Which event tells whom. An event that is not here tells nobody. */
export const NOTIFICATION_RULES: { readonly [K in EventKind]?: NotificationRule<K> } = {
  "task.assigned": {
    action: "task_assigned",
    to: ["assignee"],
    says: (actor, title) => `${actor} assigned "${title}" to you.`,
  },
  "task.claimed": status((actor, title) => `${actor} claimed "${title}".`, ["creator"]),
  "task.started": status((actor, title) => `${actor} started "${title}".`),
  "task.released": status((actor, title) => `${actor} gave "${title}" back.`, ["creator"]),
  "task.reclaimed": {
    action: "changed",
    to: ["previousAssignee", "previousOwner", "ideaHolder", "creator"],
    says: (actor, title, { from, silentSince, reason }) =>
      silentSince === undefined
        ? withNote(`${actor} took "${title}" back from ${from?.name ?? "its holder"}`, reason)
        : `${actor} took "${title}" back${from ? ` from ${from.name}` : ""} after a long silence; it is ready again.`,
  },
  "task.closed": status((actor, title) => `${actor} closed "${title}".`, ["assignee", "creator", "ideaHolder"]),
  "task.submitted": {
    action: "task_submitted_for_verify",
    to: ["actorOwner", "creator"],
    // Nobody is called before the checks have ended: they may send it back.
    says: (actor, title, { checking }) =>
      checking === true ? undefined : `${actor} handed in "${title}"; it waits to be verified.`,
  },
  "task.checked": {
    action: "task_submitted_for_verify",
    to: ["actorOwner", "creator"],
    says: (_actor, title, { passed, failed }) =>
      `"${title}" was handed in and waits to be verified; of its checks ${passed} passed and ${failed} failed.`,
  },
  "task.verified": {
    action: "task_verified",
    to: ["assignee"],
    says: (actor, title) => `${actor} verified "${title}".`,
  },
  "task.reopened": {
    action: "task_reopened",
    to: ["assignee", "ideaHolder"],
    says: (actor, title, { reason, returned }) =>
      withNote(returned === undefined ? `${actor} reopened "${title}"` : `${actor} sent "${title}" back`, reason),
  },
  "task.taken_back": status(
    (actor, title) => `${actor} took the hand-in of "${title}" back.`,
    ["actorOwner", "creator"],
  ),
  "task.reported": {
    action: "task_reported",
    to: ["dependents"],
    says: (actor, title, { to, preview: words }) =>
      to === undefined ? undefined : `${actor} on "${title}", which your work builds on: ${words}`,
  },
  "task.updated": {
    action: "changed",
    to: ["assignee", "creator", "ideaHolder"],
    says: (actor, title, { before, description }) =>
      before && rewritten(actor, title, before.title, before.description === undefined ? null : description),
  },
  "task.criteria_replaced": {
    action: "changed",
    to: ["assignee", "creator", "ideaHolder"],
    says: (actor, title, { before, criteria }) =>
      `${actor} changed the criteria of "${title}" from ${listed(before.criteria)} to ${listed(criteria)}`,
  },
  "idea.updated": {
    action: "changed",
    to: ["creator", "assignee", "builders"],
    says: (actor, title, { before, content }) =>
      before && rewritten(actor, title, before.title, before.content === undefined ? null : content),
  },
  "document.updated": {
    action: "changed",
    to: ["creator", "author", "ideaPeople", "ideaHolder", "builders"],
    says: (actor, title, { version }) => `${actor} changed "${title}": version ${version ?? "?"}.`,
  },
  "task.deleted": {
    action: "changed",
    to: ["assignee", "creator", "ideaHolder"],
    says: (actor, title) => `${actor} deleted "${title}".`,
  },
  "idea.deleted": {
    action: "changed",
    to: ["creator", "assignee"],
    says: (actor, title) => `${actor} deleted "${title}".`,
  },
  "document.deleted": {
    action: "changed",
    to: ["creator", "author", "ideaHolder", "builders"],
    says: (actor, title) => `${actor} deleted "${title}".`,
  },
  "task.unblocked": {
    action: "task_unblocked",
    to: ["assignee"],
    otherwise: ["teammates"],
    says: (_, title) => `"${title}" can start: everything it depends on is finished.`,
  },
  "proposal.submitted": {
    action: "proposal_submitted",
    to: ["actorOwner", "ideaPeople"],
    peopleOnly: true,
    otherwise: ["stewards"],
    says: (actor, title) => `${actor} submitted "${title}"; it waits for approval.`,
  },
  "proposal.approved": {
    action: "proposal_approved",
    to: ["author", "ideaHolder"],
    says: (actor, title, { reviewNote }) => withNote(`${actor} approved "${title}"`, reviewNote),
  },
  "proposal.rejected": {
    action: "proposal_rejected",
    to: ["author", "ideaHolder"],
    says: (actor, title, { reviewNote }) => withNote(`${actor} rejected "${title}"`, reviewNote),
  },
  "proposal.revoked": {
    action: "proposal_rejected",
    to: ["author", "ideaHolder"],
    says: (actor, title, { reviewNote }) => withNote(`${actor} revoked the approval of "${title}"`, reviewNote),
  },
  "proposal.closed": {
    action: "proposal_rejected",
    to: ["author", "ideaHolder"],
    says: (actor, title, { reviewNote }) => withNote(`${actor} closed "${title}"`, reviewNote),
  },
  "idea.claimed": {
    action: "idea_claimed",
    to: ["creator", "assignee"],
    says: (actor, title) => `${actor} took up "${title}".`,
  },
  "idea.assigned": {
    action: "idea_assigned",
    to: ["assignee", "creator"],
    says: (actor, title) => `${actor} assigned "${title}".`,
  },
  "elaboration.started": {
    action: "elaboration_requested",
    to: ["creator", "actorOwner"],
    says: (actor, title) => `${actor} has questions about "${title}".`,
  },
  "elaboration.answered": {
    action: "elaboration_answered",
    to: ["assignee", "creator", "builders"],
    says: (actor, title, { said, askAgain, changed }) =>
      withAnswers(
        `${actor} ${changed === true ? "changed an answer" : "answered questions"} about "${title}"${askAgain === true ? " and wants to be asked further" : ""}`,
        said,
      ),
  },
  "elaboration.validated": {
    action: "elaboration_verified",
    to: ["assignee"],
    only: ({ bySending }) => bySending !== true,
    says: (actor, title) => `${actor} confirmed the answers on "${title}".`,
  },
  "idea.progressed": {
    action: "idea_done",
    to: ["assignee", "creator"],
    only: ({ derivedStatus }) => derivedStatus === "done",
    says: (_, title) => `Everything of "${title}" is done.`,
  },
  "comment.added": {
    action: "comment_added",
    to: ["assignee", "creator", "threadAuthor"],
    says: (actor, title, { content }) => `${actor} on "${title}": ${preview(content)}`,
  },
  "report.created": {
    action: "report_created",
    to: ["author", "ideaPeople", "actorOwner"],
    says: (actor, title) => `${actor} wrote the completion report "${title}".`,
  },
  "review.submitted": {
    action: "review_submitted",
    to: ["assignee", "author", "actorOwner", "creator"],
    says: (actor, title, { verdict, summary }) =>
      withNote(`${actor} reviewed "${title}": ${verdict.replaceAll("_", " ")}`, summary && preview(summary)),
  },
  "attachment.added": {
    action: "changed",
    to: ["assignee", "builders"],
    says: (actor, title, { name }) => `${actor} added the file "${name}" to "${title}".`,
  },
  "attention.created": {
    action: "attention_requested",
    to: ["wisher", "agentOwner"],
    otherwise: ["stewards"],
    peopleOnly: true,
    says: (actor, title, { notice, detail }) =>
      notice ? noticeWords(notice, title, detail?.["reason"]) : `${actor} waits for you: ${title}`,
  },
  "attention.answered": {
    action: "attention_answered",
    to: ["asker"],
    says: (actor, title, { asked, answer }) =>
      asked === undefined
        ? withNote(`${actor} answered "${title}"`, answerWords(answer))
        : changeDecided(actor, asked, answer),
  },
  "attention.unheard": {
    action: "changed",
    to: ["answerer"],
    says: (actor, title) => `${actor} went on without your answer to "${title}".`,
  },
}

const TAKEN_UP: readonly NotificationAction[] = ["task_assigned", "task_unblocked"]
const JUDGED: readonly NotificationAction[] = ["task_submitted_for_verify", "review_submitted"]
/** Where a task stood before is no news once it has gone on. */
const MOVED: readonly NotificationAction[] = ["task_status_changed"]
const ASKED: readonly NotificationAction[] = ["attention_requested"]
const DECIDED: readonly NotificationAction[] = ["proposal_submitted"]

/**
 * What needs no reading any more once this has happened to the same thing, whoever was told and wherever it was
 * settled.
 */
const SETTLED_BY: { readonly [K in EventKind]?: readonly NotificationAction[] } = {
  "attention.answered": ASKED,
  "attention.unheard": [...ASKED, "attention_answered"],
  "attention.withdrawn": ASKED,
  "elaboration.answered": ["elaboration_requested"],
  "elaboration.skipped": ["elaboration_requested"],
  "elaboration.validated": ["elaboration_requested"],
  "proposal.approved": DECIDED,
  "proposal.closed": DECIDED,
  "proposal.rejected": DECIDED,
  "proposal.submitted": ["proposal_rejected", ...DECIDED],
  "task.assigned": [...TAKEN_UP, ...MOVED],
  "task.claimed": [...TAKEN_UP, ...MOVED],
  "task.closed": [...TAKEN_UP, ...JUDGED, ...MOVED, "task_reopened"],
  "task.deleted": [...TAKEN_UP, ...JUDGED, ...MOVED, "task_reopened"],
  "task.reclaimed": MOVED,
  "task.released": MOVED,
  "task.reopened": [...JUDGED, ...MOVED],
  "task.started": [...TAKEN_UP, ...MOVED],
  "task.submitted": ["task_reopened", ...JUDGED, ...MOVED],
  "task.taken_back": [...JUDGED, ...MOVED],
  "task.verified": [...JUDGED, ...MOVED],
}

/** Which notifications about its entity an event settles; a round of which questions are left is not settled. */
export function settledBy({ kind, patch }: NewEvent): readonly NotificationAction[] {
  if (kind === "elaboration.answered" && patch.elaborationStatus === "pending_answers") return []
  return settledByKind(kind)
}

/** Which notifications about its entity an event of a kind settles, unless its own words say otherwise. */
export function settledByKind(kind: EventKind): readonly NotificationAction[] {
  return SETTLED_BY[kind] ?? []
}

/** What a person answered, in words. */
export function answerWords(
  answer: { decision?: string | undefined; text?: string | undefined } | null | undefined,
): string {
  return [answer?.decision, answer?.text].filter((part) => part !== undefined && part !== "").join(": ")
}

/** What a change request asks for, and why, from its detail. */
export function changeAsked(detail: Readonly<Record<string, unknown>>): string {
  const { target = "", reason = "", change = {} } = detail as { target?: string; reason?: string; change?: object }
  const parts = Object.entries(change).flatMap(([part, value]) => (value === undefined ? [] : [PART[part] ?? part]))
  return `${parts.join(" and ")} of "${target}" (${reason})`
}

const PART: Readonly<Record<string, string>> = { content: "text", tasks: "further tasks" }

/** What became of a change that an agent had asked for: what it was, who decided, and why. */
export function changeDecided(by: string, asked: string, answer: Parameters<typeof answerWords>[0]): string {
  const isMade = answer?.decision === "approve"
  const decided = isMade ? "approved" : "rejected"
  return withNote(`${by} ${decided} the change you asked for: ${asked}${isMade ? "; it is made" : ""}`, answer?.text)
}

/** Whom a rule tells: never the actor, nobody twice. */
export function recipientsOf(
  rule: NotificationRule,
  bonds: Partial<Record<Bond, readonly Party[]>>,
  actorUuid: string,
): Party[] {
  const first = gather(rule.to)
  return first.length > 0 ? first : gather(rule.otherwise ?? [])

  function gather(wanted: readonly Bond[]): Party[] {
    const parties = wanted
      .flatMap((bond) => bonds[bond] ?? [])
      .filter(({ type, uuid }) => uuid !== actorUuid && (rule.peopleOnly !== true || type === "user"))
    return [...new Map(parties.map((party) => [party.uuid, party])).values()]
  }
}

/** Every bond a rule may ask for, so that only those are looked up. */
export function bondsOf(rule: NotificationRule): ReadonlySet<Bond> {
  return new Set([...rule.to, ...(rule.otherwise ?? [])])
}

/** What has come to a stop, and why. */
function noticeWords(notice: attentions.AttentionNotice, title: string, reason: unknown): string {
  const ended = `The run on "${title}" ended without handing in`
  const what = notice === "ended" ? ended : notice === "returned" ? `Nobody goes on with "${title}"` : title
  return withNote(what, typeof reason === "string" ? reason : undefined)
}

/** Which words were changed, and how the new ones begin; both texts stand in the log and among the versions. */
function rewritten(actor: string, title: string, titleBefore: string | undefined, words: string | null = null): string {
  const renamed = titleBefore === undefined ? "" : `, which was "${titleBefore}"`
  return withNote(`${actor} changed "${title}"${renamed}`, words && preview(words))
}

function listed(items: readonly string[]): string {
  return items.map((item) => `"${preview(item)}"`).join(", ")
}

/** Questions and answers on lines of their own. */
function withAnswers(what: string, said: string | undefined): string {
  return said ? `${what}:\n${said}` : `${what}.`
}

function withNote(said: string, note: string | null | undefined): string {
  return note ? `${said}: ${note}` : `${said}.`
}
