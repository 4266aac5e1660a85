import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileNameOf } from "../files/index.ts"
import type { Team } from "../team.ts"
import { requestPlanApproval } from "./send.ts"

/**
 * Hands a member's plan to whoever decides on it; one that is in no file yet gets one. Returns the id of the request.
 */
export function submitPlan(team: Team, name: string, content: string, file?: string): Promise<string> {
  return requestPlanApproval(team, name, { path: file ?? planFile(team, name, content), content })
}

function planFile(team: Team, name: string, content: string): string {
  const folder = join(team.paths.root, "plans")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${team.name}-${fileNameOf(name)}-${randomBytes(4).toString("hex")}.md`)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}
