import { spawn } from "node:child_process"

export interface LastWill {
  /** The process ended in good order: nothing remains to be done. */
  revoke(): void
}

/**
 * Runs a command if this process dies without revoking it, even by SIGKILL, so that no server outlives its test.
 * A shell waits for the end of a pipe that only this process holds.
 */
export function lastWill(command: readonly [string, ...string[]]): LastWill {
  const keeper = spawn("/bin/sh", ["-c", 'read -r _ || exec "$@"', "last-will", ...command], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  keeper.on("error", () => {})
  keeper.stdin.on("error", () => {})
  keeper.unref()
  unrefPipe(keeper.stdin)
  return { revoke: () => keeper.stdin.end("revoked\n") }
}

/** Lets this process end while the pipe is still open. */
export function unrefPipe(pipe: object | null): void {
  if (pipe && "unref" in pipe && typeof pipe.unref === "function") pipe.unref()
}
