import type { runPolicy } from "@chorus/contracts"

const MODES: readonly runPolicy.RunMode[] = ["ask", "edit", "all"]

interface Folder {
  readonly path: string
  /** The one project it is for, where it is not for all. */
  readonly project?: string | undefined
}

/** What a machine lets runs do; what an older one does not tell is left to that machine. */
export interface Allowance<Kept extends Folder = Folder> {
  readonly programs: readonly runPolicy.RunProgram[]
  readonly commands?: readonly string[] | undefined
  readonly mode?: runPolicy.RunMode | undefined
  readonly inPlace?: boolean | undefined
  readonly folders: readonly Kept[]
}

export interface WantedRun {
  readonly program: runPolicy.RunProgram
  readonly command: string | null
  readonly mode: runPolicy.RunMode | null
  readonly inPlace: boolean
  readonly folder: string | null
  readonly projectName: string
}

/** What a machine has against a run, and what is to be done about it there. */
export interface Objection {
  readonly objection: string
  readonly next: string
}

export interface Admission<Kept extends Folder> {
  readonly folder: Kept
  readonly mode: runPolicy.RunMode
}

/** Where a run may work on a machine and how far it may go there. The server asks before it gives a run away, the machine before it begins. */
export function admission<Kept extends Folder>(
  machine: string,
  allowed: Allowance<Kept>,
  run: WantedRun,
): Admission<Kept> | Objection {
  const { program, command, inPlace } = run
  const known =
    program === "command" ? (allowed.commands?.includes(command ?? "") ?? true) : allowed.programs.includes(program)
  if (!known) {
    const option = program === "command" ? `--command '${command ?? ""}'` : "--program …"
    return {
      objection: `${machine} does not allow ${command ?? program}.`,
      next: `Run \`chorus runner allow DIR ${option}\` there, or choose another program.`,
    }
  }
  if (inPlace && allowed.inPlace === false)
    return {
      objection: `${machine} allows no run in place.`,
      next: "Let it have a worktree, or run `chorus runner allow DIR --in-place` there.",
    }
  const mode = run.mode ?? allowed.mode ?? "ask"
  if (allowed.mode !== undefined && MODES.indexOf(mode) > MODES.indexOf(allowed.mode))
    return {
      objection: `${machine} allows no mode beyond "${allowed.mode}".`,
      next: `Choose that one, or run \`chorus runner allow DIR --mode ${mode}\` there.`,
    }
  const folder = folderFor(machine, allowed.folders, run)
  return "objection" in folder ? folder : { folder, mode }
}

function folderFor<Kept extends Folder>(
  machine: string,
  folders: readonly Kept[],
  { folder, projectName }: WantedRun,
): Kept | Objection {
  const open = folders.filter(({ project }) => project === undefined || project === projectName)
  const own = open.filter(({ project }) => project === projectName)
  const named = open.filter(({ path }) => path === folder || path.split(/[/\\]/).at(-1) === folder)
  const [only, ...more] = folder === null ? (own.length > 0 ? own : open) : named
  const shown = (some: readonly Kept[]) => some.map(({ path }) => path).join(", ")
  if (only !== undefined && more.length === 0) return only
  if (only !== undefined)
    return {
      objection: `${machine} allows several folders: ${shown([only, ...more])}.`,
      next: `Name one with --folder, or run \`chorus runner allow DIR --project "${projectName}"\` there.`,
    }
  if (folder !== null && open.length > 0)
    return {
      objection: `${machine} does not allow ${folder}; it allows ${shown(open)}.`,
      next: `Name one of those, or run \`chorus runner allow ${folder}\` there.`,
    }
  return {
    objection: `${machine} allows no folder for "${projectName}".`,
    next: `Run \`chorus runner allow ${folder ?? "DIR"}\` there.`,
  }
}
