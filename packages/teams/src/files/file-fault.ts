import { ChorusError } from "@chorus/contracts"
import { fileFault } from "@chorus/disk"

/** What the file system says, with the place that a person can choose instead. */
export function teamFileFault(error: unknown, path: string): unknown {
  return fileFault(error, path, "set CLAUDE_CONFIG_DIR to one that is")
}

export function teamGone(team: string): ChorusError {
  return new ChorusError("team_gone", `There is no team "${team}" here (any more).`, {
    next: "Run `chorus team status` to see the teams of this machine, or `chorus team create` to make one.",
    status: 404,
  })
}
