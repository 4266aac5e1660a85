import { randomInt } from "node:crypto"

/** Request ids have the shape the original gives them; others reach its model as `[invalid id]`. */
export function shutdownRequestId(agent: string, now: number): string {
  return `shutdown-${now}@${agent}`
}

export function planRequestId(agent: string, team: string, now: number): string {
  return `plan_approval-${now}@${agent}@${team}`
}

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"

export function permissionRequestId(now: number): string {
  const tail = Array.from({ length: 7 }, () => LETTERS[randomInt(LETTERS.length)]).join("")
  return `perm-${now}-${tail}`
}

/** The agent a shutdown or plan request is about, from its id. */
export function agentOfRequest(requestId: string): string | undefined {
  return /^(?:shutdown|plan_approval)-[0-9]+@([^@]+)/.exec(requestId)?.[1]
}
