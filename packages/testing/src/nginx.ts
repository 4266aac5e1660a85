import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { debianDaemon } from "./debian.ts"
import { lastWill } from "./last-will.ts"
import { temporaryDirectory } from "./temporary-directory.ts"
import { waitFor } from "./wait.ts"

const START_TIMEOUT = 30_000

export interface Nginx extends AsyncDisposable {
  stop(): Promise<void>
}

/** A private nginx with the given text in its http block; Debian's, installed where it is missing and this process may. */
export async function startNginx(site: string, ready: () => Promise<boolean>): Promise<Nginx> {
  const program = await debianDaemon("nginx")
  const directory = temporaryDirectory("nginx-")
  writeFileSync(join(directory.path, "nginx.conf"), configuration(directory.path, site))
  const child = spawn(program, ["-p", directory.path, "-c", "nginx.conf", "-e", "stderr"], {
    stdio: ["ignore", "ignore", "pipe"],
  })
  const will = lastWill(["sh", "-c", 'kill -TERM "$1"', "sh", String(child.pid)])
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-5000)))
  const ended = once(child, "exit")
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    await ended
    will.revoke()
    await directory.remove()
  }
  try {
    await waitFor(
      () => child.exitCode !== null || ready(),
      START_TIMEOUT,
      () => `nginx to answer; it said:\n${said}`,
    )
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}:\n${said}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { stop, [Symbol.asyncDispose]: stop }
}

function configuration(directory: string, site: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => {
    mkdirSync(join(directory, name))
    return `  ${name}_temp_path ${join(directory, name)};`
  })
  return [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    "daemon off;",
    "worker_processes 2;",
    `pid ${join(directory, "pid")};`,
    "events { worker_connections 8192; }",
    "worker_rlimit_nofile 20000;",
    "http {",
    "  access_log off;",
    ...temporary,
    site,
    "}",
  ].join("\n")
}
