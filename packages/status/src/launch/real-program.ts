import { realpathSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { StatusAgent } from "@chorus/contracts"
import { ChorusError } from "@chorus/contracts"
import { isShim, readJson } from "@chorus/disk"
import { isRecord } from "../line/index.ts"
import { isExecutable } from "./programs.ts"

/** The agent itself: the first program of that name on the path that is not one of our shims. */
export function findRealProgram(agent: StatusAgent, path: string | undefined): string {
  for (const folder of (path ?? "").split(delimiter)) {
    const candidate = join(folder || ".", agent)
    if (isExecutable(candidate) && !isShim(candidate)) return candidate
  }
  throw new ChorusError("agent_not_found", `There is no ${agent} on PATH.`, {
    next: `Install ${agent}, or put its folder on PATH.`,
    status: 404,
  })
}

/** The version of an installed program from where it stands: its package, or a folder named by version. Nothing is started. */
export function installedVersion(program: string): string | undefined {
  try {
    const path = realpathSync(program)
    const named = /[/\\]versions[/\\](\d+\.\d+\.\d+)/.exec(path)?.[1]
    return named ?? packageVersion(dirname(path)) ?? packageVersion(dirname(dirname(path)))
  } catch {
    return undefined
  }
}

function packageVersion(folder: string): string | undefined {
  const manifest = readJson(join(folder, "package.json"))
  return isRecord(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : undefined
}
