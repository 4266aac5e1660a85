// Runs inside a network namespace that has nothing but loopback: `node network-relay.ts <socket folder> <port,port> <command> <args…>`.
// Each port leads through a Unix socket, which namespaces do not divide, to the same port outside.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { join } from "node:path"

const [folder = "", ports = "", command = "", ...args] = process.argv.slice(2)
execFileSync("ip", ["link", "set", "lo", "up"])
for (const port of ports.split(",").filter(Boolean)) await relay(Number(port))
const child = spawn(command, args, { stdio: "inherit" })
const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null]
if (signal) process.kill(process.pid, signal)
process.exit(code ?? 1)

async function relay(port: number): Promise<void> {
  const server = createServer((inside) => {
    const outside = connect(join(folder, String(port)))
    inside.pipe(outside).pipe(inside)
    inside.on("error", () => outside.destroy())
    outside.on("error", () => inside.destroy())
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
}
