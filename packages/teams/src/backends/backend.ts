import type { TeamMember, TeamPermissionMode } from "@chorus/contracts"
import type { Team } from "../team.ts"

/** A member that is on the roster and is about to run. */
export interface Placement {
  readonly team: Team
  readonly member: TeamMember
  readonly mode: TeamPermissionMode | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Running {
  /** What goes into the roster: `%12`, `in-process`, or a process id. */
  readonly place: string
  /** The process it runs as, where it has one of its own. */
  readonly pid?: number | undefined
  /** Resolves when it has ended, by itself or not. */
  readonly ended: Promise<void>
  /** What it shows, where there is something to see. */
  capture?(): Promise<string>
  /** Ends it now. Always finishes. */
  stop(): Promise<void>
}

/** Where members run. */
export interface Backend {
  /** What the roster calls it. */
  readonly type: "tmux" | "in-process" | "process"
  start(placement: Placement): Promise<Running>
}
