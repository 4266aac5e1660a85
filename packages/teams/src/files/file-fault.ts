import { ChorusError } from "@chorus/contracts"

/** Turns what the file system says into an error that a person can act on. Anything else comes back as it was. */
export function fileFault(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    return new ChorusError("disk_full", `No space is left to write ${path}. Nothing that was there has been changed.`, {
      next: "Free some space and repeat the command.",
      status: 507,
      cause: error,
    })
  }
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") {
    return new ChorusError(
      "not_writable",
      `${path} cannot be written (${code}). Nothing that was there has been changed.`,
      {
        next: "Make the folder writable for this user, or set CLAUDE_CONFIG_DIR to one that is.",
        status: 403,
        cause: error,
      },
    )
  }
  return error
}

export function teamGone(team: string): ChorusError {
  return new ChorusError("team_gone", `There is no team "${team}" here (any more).`, {
    next: "Run `chorus team status` to see the teams of this machine, or `chorus team create` to make one.",
    status: 404,
  })
}
