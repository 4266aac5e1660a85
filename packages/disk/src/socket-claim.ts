import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs"
import { connect, type Server } from "node:net"
import { dirname } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { claim } from "./claim.ts"

const BACKLOG = 4096
const LOCK_WAIT_MS = 5000
/** The longest path every system takes for a Unix socket (macOS allows 104 bytes with the closing zero). */
const MAX_SOCKET_PATH = 103

/**
 * Binds the server to the path, for this user alone. A socket somebody still answers on is never taken away; one left
 * by a dead process is. Two starters at once are kept apart by a claim, which a dead process cannot hold.
 */
export async function claimSocket(server: Server, path: string): Promise<void> {
  refuseTooLong(path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const starting = claim(`${path}.lock`, LOCK_WAIT_MS)
  try {
    if (starting === undefined || (await isAnswered(path))) throw answered(path)
    if (holdsSomething(path)) {
      throw new ChorusError(
        "socket_path_taken",
        `${path} is there already and is no socket, so it was left as it is.`,
        { next: "Set CHORUS_SOCK to another path.", status: 409 },
      )
    }
    rmSync(path, { force: true })
    await bind(server, path)
  } finally {
    starting?.release()
  }
}

/** A kernel cuts a path that is too long, or says that it is invalid, which helps nobody. */
export function refuseTooLong(path: string): void {
  if (!isTooLong(path)) return
  throw new ChorusError("socket_path_too_long", `${path} is too long for a Unix socket.`, {
    next: "Set CHORUS_SOCK to a shorter path.",
  })
}

export function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > MAX_SOCKET_PATH
}

/**
 * Whether a live process holds the socket. The kernel answers for a process that is merely busy or stopped, so only a
 * refusal or a missing file means nobody.
 */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    const done = (answered: boolean) => {
      probe.destroy()
      resolve(answered)
    }
    probe.once("connect", () => done(true))
    probe.once("error", (error: NodeJS.ErrnoException) =>
      done(!["ENOENT", "ECONNREFUSED", "ENOTSOCK"].includes(error.code ?? "")),
    )
  })
}

/**
 * A path may be named by mistake; what somebody wrote there is not ours to remove. An empty file, as a copied socket
 * becomes one, is.
 */
function holdsSomething(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isSocket() && !(stat.isFile() && stat.size === 0)
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Made closed from the first moment: between bind and chmod the default mode would let others in.
    const mask = process.umask(0o177)
    server.once("error", reject)
    server.listen({ path, backlog: BACKLOG }, () => {
      server.off("error", reject)
      chmodSync(path, 0o600)
      resolve()
    })
    process.umask(mask)
  })
}

function answered(path: string): ChorusError {
  return new ChorusError("listener_running", `A listener already answers on ${path}.`, {
    next: "Use that one, or name another socket with --socket.",
    status: 409,
  })
}
