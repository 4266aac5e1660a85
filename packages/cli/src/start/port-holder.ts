import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"

const PROBE_MS = 1000

/** The same refusal, saying what listens there: another Chorus, another web server, or something else, with its process where that can be seen. */
export async function nameTheHolder(error: ChorusError, host: string, port: number): Promise<ChorusError> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const program = processListeningOn(port)
  const seen = await whatAnswers(`http://${address}`, host, port)
  const by = program === undefined ? "" : `, process ${program.pid} (${program.name})`
  const message =
    seen.chorus === undefined
      ? `${address} is taken by a program that is not Chorus: ${seen.text}${by}.`
      : `Another Chorus (${seen.chorus}) listens on ${address}${by}.`
  const next =
    seen.chorus === undefined
      ? "Stop that program, or start with --port N."
      : `Use it at http://${address}, or start this one with --port N.`
  return new ChorusError("port_in_use", message, {
    status: error.status,
    next,
    details: { host, port, ...program },
    cause: error,
  })
}

interface Answer {
  readonly chorus?: string
  readonly text: string
}

async function whatAnswers(url: string, host: string, port: number): Promise<Answer> {
  try {
    const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(PROBE_MS) })
    const body = (await response.json().catch(() => undefined)) as
      | { status?: unknown; version?: unknown; engine?: unknown }
      | undefined
    if (body?.status === "ok" && typeof body.version === "string" && typeof body.engine === "string")
      return { chorus: body.version, text: "" }
    const name = response.headers.get("server") ?? response.headers.get("x-powered-by")
    return { text: `a web server${name === null ? "" : ` (${printable(name)})`} answers there` }
  } catch {
    const greeting = await firstLine(host, port)
    return { text: greeting === "" ? "it does not speak HTTP" : `it says "${greeting}"` }
  }
}

function firstLine(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_MS })
    const finish = (text: string) => {
      socket.destroy()
      resolve(text)
    }
    socket.once("data", (bytes) => finish(printable(bytes.toString("latin1").split(/\r?\n/)[0] ?? "")))
    socket.once("error", () => finish(""))
    socket.once("timeout", () => finish(""))
    socket.once("close", () => resolve(""))
  })
}

interface Program {
  readonly pid: number
  readonly name: string
}

/** Linux says which process holds a listening socket, to those who may see that process. */
export function processListeningOn(port: number, proc = "/proc"): Program | undefined {
  try {
    const inodes = new Set(["tcp", "tcp6"].flatMap((table) => listeningInodes(join(proc, "net", table), port)))
    if (inodes.size === 0) return undefined
    const pid = readdirSync(proc).find((name) => /^\d+$/.test(name) && holdsSocket(join(proc, name), inodes))
    return pid === undefined
      ? undefined
      : { pid: Number(pid), name: printable(readFileSync(join(proc, pid, "comm"), "utf8").trim()) }
  } catch {
    return undefined
  }
}

/** Empty where there is no such table, as where a machine has no IPv6. */
function listeningInodes(file: string, port: number): string[] {
  if (!existsSync(file)) return []
  const LISTEN = "0A"
  const wanted = port.toString(16).toUpperCase().padStart(4, "0")
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .slice(1)
    .map((row) => row.trim().split(/\s+/))
  return rows
    .filter(([, local, , state]) => state === LISTEN && local?.endsWith(`:${wanted}`))
    .flatMap((row) => row[9] ?? [])
}

function holdsSocket(folder: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(join(folder, "fd")).some((fd) =>
      inodes.has(/^socket:\[(\d+)\]$/.exec(link(join(folder, "fd", fd)))?.[1] ?? ""),
    )
  } catch {
    return false
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** What a stranger says is shown, never obeyed: no control characters reach the terminal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 80)
}
