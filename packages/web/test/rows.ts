import { type attentions, LogEvent, type tasks, type work } from "@chorus/contracts"
import type { z } from "zod"

/** A task as a list carries it, plain but for what a test says. */
export function taskRow(changes: Partial<tasks.TaskRow> = {}): tasks.TaskRow {
  return {
    uuid: "t1",
    projectUuid: "p",
    shortId: "SHOP-1",
    proposalUuid: null,
    title: "Write the parser",
    status: "open",
    priority: "medium",
    storyPoints: null,
    labels: [],
    dueOn: null,
    assignee: null,
    openDependencies: 0,
    ac: { total: 0, passed: 0, checked: 0 },
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    ...changes,
  }
}

/** A stay of a session at a task that goes on. */
export function stayRow(changes: Partial<work.BoardStay> = {}): work.BoardStay {
  return {
    uuid: "c1",
    sessionUuid: "s1",
    sessionName: "worker",
    agent: agentRef("Ada"),
    taskUuid: "t1",
    checkinAt: "2026-01-01T00:00:00.000Z",
    checkoutAt: null,
    checkoutReason: null,
    ...changes,
  }
}

/** Work that waits to be verified, but for what a test says. */
export function waitingItem(changes: Partial<attentions.WaitingItem> = {}): attentions.WaitingItem {
  return {
    kind: "task",
    uuid: "t1",
    title: "Work",
    shortId: null,
    session: null,
    projectUuid: "p",
    projectName: "P",
    from: null,
    since: "",
    ideaUuid: null,
    task: null,
    dueOn: null,
    attention: null,
    ...changes,
  }
}

/** What an agent asks a person, open and answerable from the page. */
export function attentionRow(changes: Partial<attentions.AttentionRow> = {}): attentions.AttentionRow {
  return {
    uuid: "a1",
    projectUuid: null,
    agent: null,
    sessionUuid: null,
    taskUuid: null,
    options: [],
    deliveredAt: null,
    kind: "input",
    title: "?",
    detail: {},
    answerable: true,
    notice: null,
    state: "open",
    answer: null,
    answeredBy: null,
    createdAt: "",
    expiresAt: null,
    answeredAt: null,
    ...changes,
  }
}

export function agentRef(name: string) {
  return { type: "agent" as const, uuid: name.toLowerCase(), name }
}

/** A line of the log about task t1 of project p, but for what a test says. */
export function logEvent(changes: Partial<z.input<typeof LogEvent>> = {}): LogEvent {
  return LogEvent.parse({
    id: 1,
    at: "2026-01-01T00:00:00.000Z",
    kind: "task.updated",
    entityType: "task",
    entityUuid: "t1",
    projectUuid: "p",
    action: "updated",
    patch: {},
    actor: agentRef("Ada"),
    requestId: null,
    ...changes,
  })
}
