import type { Places } from "./programs.ts"
import type { Call } from "./reporter.ts"

/** What a runner does all its work with: runs, checks and landings alike. */
export interface Workbench {
  readonly call: Call
  /** What this machine is called on the board. */
  readonly machine: string
  /** Where Chorus keeps its data, and the runner's own folder in it. */
  readonly data: string
  readonly directory: string
  /** The runner's part of the kernel's tree of processes, where there is one. */
  readonly cgroup: string | undefined
  /** Names this runner's processes. */
  readonly runner: string
  readonly places: Places
  readonly environment: NodeJS.ProcessEnv
}
