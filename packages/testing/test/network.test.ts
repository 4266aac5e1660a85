import { execFile } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { networkCanBeCut } from "@chorus/testing"
import { cutOff } from "../src/network.ts"

let echo: Server
let port: number
beforeAll(async () => {
  echo = createServer((socket) => socket.on("error", () => undefined).pipe(socket)).listen(0, "127.0.0.1")
  await once(echo, "listening")
  port = (echo.address() as AddressInfo).port
})
afterAll(() => void echo.close())

/** What comes back from a socket that was sent a word. */
async function answerOf(path: string): Promise<string> {
  const socket = connect(path)
  socket.write("hello")
  const [said] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return said.toString()
}

describe("a command that is cut off from the network", () => {
  test("is the command itself, behind a relay for the ports it may reach", async () => {
    const cut = await cutOff("agent", ["--print", "hi there"], [port])
    expect(cut.command).toBe("unshare")
    expect(cut.args.slice(0, 3)).toEqual(["-n", "--", process.execPath])
    expect(cut.args.slice(-4)).toEqual([String(port), "agent", "--print", "hi there"])
    await cut.close()
  })

  test("has a door to each port, through which bytes go both ways", async () => {
    const cut = await cutOff("agent", [], [port])
    const folder = cut.args[4] ?? ""
    expect(await answerOf(`${folder}/${port}`)).toBe("hello")
    await cut.close()
    expect(existsSync(folder)).toBe(false)
  })

  test("needs no door where it may reach nothing", async () => {
    const cut = await cutOff("agent", [], [])
    expect(cut.args[5]).toBe("")
    await cut.close()
  })

  test("reaches its port and no other that listens; where a network cannot be cut off, it does not start", async () => {
    const other = createServer((socket) => socket.on("error", () => undefined).pipe(socket)).listen(0, "127.0.0.1")
    await once(other, "listening")
    const program = `
      const { connect } = require("node:net")
      const ask = (port) => new Promise((done) => {
        const socket = connect(port, "127.0.0.1", () => socket.write("hello"))
        socket.on("data", (data) => (socket.destroy(), done(String(data))))
        socket.on("error", (error) => done(error.code))
      })
      Promise.all([ask(${port}), ask(${(other.address() as AddressInfo).port})]).then((answers) => console.log(JSON.stringify(answers)))`
    const cut = await cutOff(process.execPath, ["-e", program], [port])
    const outcome = await promisify(execFile)(cut.command, cut.args).then(
      ({ stdout }) => JSON.parse(stdout) as unknown,
      () => "did not start",
    )
    other.close()
    await cut.close()
    expect(outcome).toEqual(networkCanBeCut() ? ["hello", "ECONNREFUSED"] : "did not start")
  })
})
