import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type RunnerPolicy, type runs } from "@chorus/contracts"
import type { Cgroup } from "./cgroup.ts"
import { inPath, ownFolders, type Places } from "./programs.ts"

export interface Enclosed {
  readonly program: runs.RunProgram
  readonly env: Readonly<Record<string, string>>
  readonly places: Places
  readonly worktree: string
  /** Where the repository keeps its objects and refs. */
  readonly gitFolder: string
  /** Where Chorus keeps its data; nothing of that but the worktree can be seen inside. */
  readonly data: string
}

export interface Words {
  readonly command: string
  readonly args: readonly string[]
}

/** The words that start a program inside whatever this machine's policy and kernel keep it in. */
export function confined(
  words: Words,
  policy: RunnerPolicy | undefined,
  cgroup: Cgroup | undefined,
  inside: Enclosed,
): Words {
  const { command, args } = policy?.enclosure === "bubblewrap" ? inBubblewrap(words.command, words.args, inside) : words
  return cgroup?.wrap(command, args) ?? { command, args }
}

/**
 * Inside, only its worktree, the repository's git folder, its own folders at home and a /tmp of its own can be written,
 * and no process but its own is seen. The network is the machine's.
 */
export function inBubblewrap(command: string, args: readonly string[], inside: Enclosed): Words {
  const { program, env, places, worktree, gitFolder, data } = inside
  const bwrap = inPath("bwrap", places)
  if (bwrap === undefined)
    throw new ChorusError("not_allowed_here", "This machine runs agents only in bubblewrap, and has no bwrap.", {
      status: 403,
      next: "Install bubblewrap there, or allow them without: `chorus runner allow DIR --enclosure none`.",
    })
  const own = ownFolders(program, env)
  for (const folder of own) mkdirSync(folder, { recursive: true })
  const files = [join(env["HOME"] ?? "", ".claude.json")].filter((file) => program === "claude" && existsSync(file))
  const writable = [...own, ...files, gitFolder, worktree]
  const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
  const bound = writable.flatMap((path) => ["--bind", path, path])
  // What is on the way to it may lie under /tmp or in the data; those come first, so that it stands on top of them.
  const programs = [command, ...args].filter((word) => word.startsWith("/") && existsSync(word))
  const readable = programs.flatMap((path) => ["--ro-bind", path, path])
  const apart = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--chdir", worktree]
  return { command: bwrap, args: [...view, "--tmpfs", data, ...readable, ...bound, ...apart, "--", command, ...args] }
}
