import { existsSync, lstatSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { fileNameOf, isSafeName, safeName } from "./name.ts"

/** Where Claude Code keeps its teams: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function claudeConfigDir(env: NodeJS.ProcessEnv = process.env): string {
  const given = env["CLAUDE_CONFIG_DIR"]
  if (given !== undefined && given !== "") return given
  return join(env["HOME"] ?? homedir(), ".claude")
}

/** The places of one team. Names are checked here, so a path that exists in the program is a safe path. */
export interface TeamPaths {
  readonly root: string
  readonly team: string
  readonly directory: string
  readonly config: string
  readonly inboxes: string
  readonly tasks: string
  readonly taskListLock: string
  readonly highwatermark: string
  /** What only Chorus writes: history, journals, the mark of a team that Chorus leads. */
  readonly own: string
  inbox(agent: string): string
  task(id: string): string
}

export function teamPaths(root: string, team: string): TeamPaths {
  safeName("team", team)
  const directory = join(root, "teams", team)
  const tasks = join(root, "tasks", team)
  const inboxes = join(directory, "inboxes")
  return {
    root,
    team,
    directory,
    inboxes,
    tasks,
    config: join(directory, "config.json"),
    taskListLock: join(tasks, ".lock"),
    highwatermark: join(tasks, ".highwatermark"),
    own: join(root, "chorus", "teams", team),
    inbox: (agent) => join(inboxes, `${fileNameOf(agent)}.json`),
    task: (id) => join(tasks, `${safeName("task", id)}.json`),
  }
}

/** Names of the teams under this root; folders with unsafe names or without a roster are passed over. */
export function teamNames(root: string): string[] {
  const has = (name: string) => isSafeName(name) && existsSync(join(root, "teams", name, "config.json"))
  return entriesOf(join(root, "teams")).filter(has).sort()
}

/** Refuses a link where a folder or file of a team should be: it would lead our writes somewhere else. */
export function refuseLinks(...paths: string[]): void {
  for (const path of paths) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue
    throw new ChorusError("symlink_refused", `${path} is a symbolic link; team files are not followed through links.`, {
      next: "Replace the link with a real file or folder.",
    })
  }
}

export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
