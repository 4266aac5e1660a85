import type { TeamTask } from "@chorus/contracts"

const LINK = /chorus:task:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi

/** The platform tasks that a team task names, wherever in it the link stands. */
export function taskLinks(task: TeamTask): string[] {
  return [...new Set([...JSON.stringify(task).matchAll(LINK)].map((match) => match[1]?.toLowerCase() ?? ""))]
}
