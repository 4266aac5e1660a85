import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandOnPath } from "./debian.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

export interface CutOffCommand {
  command: string
  args: string[]
  close(): Promise<void>
}

/** Whether this machine lets a test start a program without a network: root, `unshare` and `ip`. */
export function networkCanBeCut(): boolean {
  if (process.getuid?.() !== 0 || commandOnPath("ip") === undefined) return false
  return spawnSync("unshare", ["-n", "true"]).status === 0
}

/** The command that runs `command` in a network namespace of its own, from which only these loopback ports of ours can be reached. */
export async function cutOff(command: string, args: string[], ports: readonly number[]): Promise<CutOffCommand> {
  const directory = temporaryDirectory("net-")
  const doors = await Promise.all(ports.map((port) => door(join(directory.path, String(port)), port)))
  const relay = fileURLToPath(new URL("./network-relay.ts", import.meta.url))
  return {
    command: "unshare",
    args: ["-n", "--", process.execPath, relay, directory.path, ports.join(","), command, ...args],
    async close() {
      for (const server of doors) server.close()
      await directory.remove()
    },
  }
}

async function door(path: string, port: number): Promise<Server> {
  const server = createServer((inside) => {
    const target = connect(port, "127.0.0.1")
    inside.pipe(target).pipe(inside)
    inside.on("error", () => target.destroy())
    target.on("error", () => inside.destroy())
  })
  server.listen(path)
  await once(server, "listening")
  server.unref()
  return server
}
