import { TeamMemberState, type TeamOrder, type teamRoom, TeamTask } from "@chorus/contracts"
import type { Schema } from "@chorus/store"

export function teamRow(record: Schema["teams"] & { machine: string }): teamRoom.TeamRow {
  const { uuid, name, machineUuid, machine, era, description, createdAt, lastFactAt, goneAt } = record
  return {
    uuid,
    name,
    machineUuid,
    machine,
    era,
    description,
    ledByChorus: record.ledByChorus === 1,
    createdAt,
    lastFactAt,
    goneAt,
  }
}

export function memberRow({
  name,
  state,
  lead,
  agentType,
  model,
  color,
  leftAt,
  lastLine,
  lastAt,
  microUsd,
  tokens,
  branch,
}: Omit<Schema["teamMembers"], "teamUuid">): teamRoom.TeamMemberRow {
  return {
    name,
    state: TeamMemberState.catch("unknown").parse(state),
    lead: lead === 1,
    agentType,
    model,
    color,
    leftAt,
    lastLine,
    lastAt,
    costUsd: microUsd === null ? null : microUsd / 1e6,
    tokens,
    branch,
  }
}

export function messageRow({
  id,
  sender,
  recipient,
  kind,
  text,
  summary,
  sentAt,
}: Schema["teamMessages"]): teamRoom.TeamMessageRow {
  return { id, from: sender, to: recipient, kind, text, summary, sentAt }
}

export function teamTask({ task, links }: Schema["teamTasks"]) {
  return { task: TeamTask.parse(JSON.parse(task)), taskUuids: JSON.parse(links) as string[] }
}

export function orderRow({ uuid, payload, createdAt, state, settledAt, lastError, next }: Schema["deliveries"]) {
  const { decision } = JSON.parse(payload) as { decision: TeamOrder }
  return {
    uuid,
    what: decision.decision,
    by: decision.by,
    to: decision.decision === "message" ? decision.to : decision.member,
    createdAt,
    deliveredAt: state === "delivered" ? settledAt : null,
    error: state === "dead" ? lastError : null,
    next: state === "pending" ? null : next,
  }
}
