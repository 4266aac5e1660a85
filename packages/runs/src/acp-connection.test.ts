import { PassThrough, Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import { AcpError, connectAcp, ENDED, linesOf } from "./acp-connection.ts"

function open(more: Partial<Parameters<typeof connectAcp>[0]> = {}) {
  const [from, to] = [new PassThrough(), new PassThrough()]
  const heard: string[] = []
  to.on("data", (chunk) => heard.push(...String(chunk).trim().split("\n")))
  const told: string[] = []
  const onNotification = (method: string) => void told.push(method)
  const connection = connectAcp({ from, to, onRequest: () => undefined, onNotification, ...more })
  const say = (frame: unknown) => from.write(typeof frame === "string" ? frame : `${JSON.stringify(frame)}\n`)
  const frames = () => heard.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { connection, say, from, frames, told }
}

describe("a connection to an agent", () => {
  it("matches answers by their ids, in any order, and skips what is no frame", async () => {
    const { connection, say } = open()
    const [one, two] = [connection.request("a", {}), connection.request("b", {})]
    say("not json\n\n[1]\nnull\n")
    say({ id: "2", result: { wrong: true } })
    say({ id: 2, result: { of: "b" } })
    say('{"id":1,"res')
    say('ult":{"of":"a"}}\n')
    expect(await Promise.all([one, two])).toEqual([{ of: "a" }, { of: "b" }])
  })

  it("answers every request at once: what it does not know is refused, and an id of 0 is an id", async () => {
    const { say, frames } = open({
      onRequest: (method) => (method === "known" ? Promise.resolve({ ok: 1 }) : undefined),
    })
    say({ id: 0, method: "known" })
    say({ id: "x", method: "fs/write_text_file", params: {} })
    await expect
      .poll(() => frames().toSorted((a, b) => String(a["id"]).localeCompare(String(b["id"]))))
      .toMatchObject([
        { id: 0, result: { ok: 1 } },
        { id: "x", error: { code: -32_601 } },
      ])
  })

  it("hands on refusals with code and data, and ends what is open when the agent goes", async () => {
    const { connection, say, from } = open()
    const refused = connection.request("a", {})
    say({ id: 1, error: { code: -32_000, message: "Sign in", data: { how: 1 } } })
    await expect(refused).rejects.toMatchObject({ code: -32_000, message: "Sign in", data: { how: 1 } })
    const open2 = connection.request("b", {})
    from.end()
    await expect(open2).rejects.toThrow(ENDED)
    await expect(connection.request("c", {}, 20)).rejects.toBeInstanceOf(AcpError)
  })

  it("reads no faster than what it reads is kept", async () => {
    let release: () => void = () => undefined
    const kept: string[] = []
    const { say, told } = open({
      onLine: (_direction, line) => {
        kept.push(line)
        return new Promise((go) => (release = go))
      },
    })
    say({ method: "one" })
    say({ method: "two" })
    await expect.poll(() => kept.length).toBe(1)
    expect(told).toEqual([])
    release()
    await expect.poll(() => told).toEqual(["one"])
  })

  it("drops a line that never ends, and goes on after it", async () => {
    const lines: string[] = []
    for await (const line of linesOf(Readable.from([Buffer.from("x".repeat(50)), Buffer.from("y\nshort\n")]), 20))
      lines.push(line)
    expect(lines).toEqual(["short"])
  })
})
