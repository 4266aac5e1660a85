import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type RunnerPolicy, type runs } from "@chorus/contracts"
import type { Cgroup } from "./cgroup.ts"
import { RUN_MARK, RUNNER_MARK } from "./processes.ts"
import { inPath, ownFolders, type Places } from "./programs.ts"
import { CHECK_MARK } from "./run-checks.ts"

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
  const { command, args } = policy === undefined ? words : enclosed(words, policy, inside)
  return cgroup?.wrap(command, args) ?? { command, args }
}

function enclosed({ command, args }: Words, { enclosure, image }: RunnerPolicy, inside: Enclosed): Words {
  if (enclosure === "none") return { command, args }
  if (enclosure === "bubblewrap") return inBubblewrap(command, args, inside)
  return inContainer(enclosure, image, { command, args }, inside)
}

/** Whether the programs are those of an image, and none of this machine's. */
export function isOfImage(policy: RunnerPolicy | undefined): boolean {
  return policy?.enclosure === "podman" || policy?.enclosure === "docker"
}

/** These say where things are on this machine, not in an image. */
const HERE_ONLY = /^(PATH|SHELL|TMPDIR|XDG_RUNTIME_DIR)$/

/**
 * A container that sees nothing of this machine but the worktree, the repository's git folder and the program's own
 * folders at home, each under its own name. It runs as this user and keeps the marks, so that its processes end as
 * others do. Values of variables stay out of the words, which everybody on the machine can read. The network is the
 * machine's: Chorus listens there.
 */
export function inContainer(
  engine: "podman" | "docker",
  image: string | null,
  { command, args }: Words,
  { program, env, places, worktree, gitFolder }: Enclosed,
): Words {
  const found = inPath(engine, places)
  if (found === undefined || image === null)
    throw new ChorusError(
      "not_allowed_here",
      `This machine runs agents only in ${engine}, and ${found === undefined ? `has no ${engine}` : "names no image"}.`,
      {
        status: 403,
        next: `Install it there, and name an image: \`chorus runner allow DIR --enclosure ${engine} --image IMAGE\`.`,
      },
    )
  const bound = [
    ...[...ownPlaces(program, env), gitFolder, worktree].flatMap((path) => ["--volume", `${path}:${path}`]),
    ...gitOrders(worktree, gitFolder).flatMap((path) => ["--volume", `${path}:${path}:ro`]),
  ]
  const names = [...Object.keys(env).filter((name) => !HERE_ONLY.test(name)), RUN_MARK, RUNNER_MARK, CHECK_MARK]
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const who = engine === "docker" ? ["--init"] : uid === 0 ? [] : ["--userns", "keep-id"]
  const as = ["--rm", "--interactive", "--network", "host", "--user", `${uid}:${gid}`, ...who]
  const without = ["--cap-drop", "all", "--security-opt", "no-new-privileges", "--security-opt", "label=disable"]
  const known = [...new Set(names)].flatMap((name) => ["--env", name])
  const options = [...as, ...without, ...known, ...bound, "--workdir", worktree]
  return { command: found, args: ["run", ...options, image, command, ...args] }
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
  const writable = [...ownPlaces(program, env), gitFolder, worktree]
  const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
  const bound = [
    ...writable.flatMap((path) => ["--bind", path, path]),
    ...gitOrders(worktree, gitFolder).flatMap((path) => ["--ro-bind", path, path]),
  ]
  // What is on the way to it may lie under /tmp or in the data; those come first, so that it stands on top of them.
  const programs = [command, ...args].filter((word) => word.startsWith("/") && existsSync(word))
  const readable = programs.flatMap((path) => ["--ro-bind", path, path])
  const apart = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--chdir", worktree]
  return { command: bwrap, args: [...view, "--tmpfs", data, ...readable, ...bound, ...apart, "--", command, ...args] }
}

/**
 * What git takes orders from: where the repository is, its configuration and its hooks. Whoever can write these has our
 * git, and its owner's, run whatever they like outside of the enclosure.
 */
function gitOrders(worktree: string, gitFolder: string): string[] {
  mkdirSync(join(gitFolder, "hooks"), { recursive: true })
  const pointer = join(worktree, ".git")
  const own = isFile(pointer) ? /^gitdir: (.+)$/m.exec(readFileSync(pointer, "utf8"))?.[1] : undefined
  const folders = [gitFolder, ...(own === undefined ? [] : [own])].flatMap((folder) => [folder, ...modulesIn(folder)])
  const within = ["config", "config.worktree", "hooks", "commondir", "gitdir"]
  return [
    ...(own === undefined ? [] : [pointer]),
    ...folders.flatMap((folder) => within.map((name) => join(folder, name))).filter((path) => existsSync(path)),
  ]
}

/** The git folders of submodules; a name with slashes makes folders that are none. */
function modulesIn(folder: string, below = join(folder, "modules")): string[] {
  if (!existsSync(below)) return []
  return readdirSync(below, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(below, name))
    .flatMap((path) => (existsSync(join(path, "HEAD")) ? [path, ...modulesIn(path)] : modulesIn(folder, path)))
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/**
 * Where a program keeps its own at home; folders that are not there yet are made, or nothing could be put in their
 * place.
 */
function ownPlaces(program: runs.RunProgram, env: Readonly<Record<string, string>>): string[] {
  const own = ownFolders(program, env)
  for (const folder of own) mkdirSync(folder, { recursive: true })
  return [
    ...own,
    ...[join(env["HOME"] ?? "", ".claude.json")].filter((file) => program === "claude" && existsSync(file)),
  ]
}
