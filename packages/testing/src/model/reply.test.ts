import { describe, expect, test } from "vitest"
import { openWire } from "../../test/wire.ts"
import { waitFor } from "../wait.ts"

describe("an answer as JSON", () => {
  test("has its status, its type and further headers", () => {
    const wire = openWire()
    wire.reply.json(529, { busy: true }, { "retry-after": "3" })
    expect(wire.head()).toMatch(/^HTTP\/1\.1 529 /)
    expect(wire.head()).toContain("content-type: application/json")
    expect(wire.head()).toContain("retry-after: 3")
    expect(wire.json()).toEqual({ busy: true })
    expect(wire.isOver()).toBe(true)
  })
})

describe("an answer as a stream", () => {
  test("is events with and without a name, until it ends", () => {
    const wire = openWire()
    wire.reply.stream()
    wire.reply.event("start", { a: 1 })
    wire.reply.event(undefined, "[DONE]")
    expect(wire.isOver()).toBe(false)
    wire.reply.end()
    expect(wire.head()).toContain("content-type: text/event-stream; charset=utf-8")
    expect(wire.body()).toBe('event: start\ndata: {"a":1}\n\ndata: [DONE]\n\n')
    expect(wire.isOver()).toBe(true)
  })

  test("hands a text over in pieces that make it up again", async () => {
    const wire = openWire()
    const pieces: string[] = []
    const said = "a long story ".repeat(100)
    await wire.reply.pieces({ text: said }, (piece) => pieces.push(piece))
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join("")).toBe(said)
  })

  test("hands it over in small pieces where it is to be slow", async () => {
    const wire = openWire()
    const pieces: string[] = []
    await wire.reply.pieces({ text: "sixteen letters!", chunkDelay: 1 }, (piece) => pieces.push(piece))
    expect(pieces).toEqual(["sixteen ", "letters!"])
  })

  test("of no text has no pieces", async () => {
    const pieces: string[] = []
    await openWire().reply.pieces({}, (piece) => pieces.push(piece))
    expect(pieces).toEqual([])
  })
})

describe("an answer that breaks off", () => {
  test("says what it said before, and then is gone", async () => {
    const wire = openWire()
    wire.reply.stream()
    wire.reply.event("half", {})
    expect(await wire.reply.breaksOff({ drop: true })).toBe(true)
    expect(wire.body()).toContain("event: half")
    expect(wire.isOver()).toBe(true)
  })

  test("may say nothing at all", async () => {
    const wire = openWire()
    await wire.reply.drop()
    expect([wire.body(), wire.isOver()]).toEqual(["", true])
  })

  test("hangs until the agent leaves", async () => {
    const wire = openWire()
    let over = false
    const hanging = wire.reply.breaksOff({ hang: true }).then((broke) => {
      over = true
      return broke
    })
    await Promise.resolve()
    expect(over).toBe(false)
    await wire.hangUp()
    expect(await hanging).toBe(true)
  })

  test("does not hang for an agent that has left already", async () => {
    const wire = openWire()
    await wire.hangUp()
    await wire.reply.hang()
    expect(wire.isOver()).toBe(true)
  })

  test("does not wait on for an agent that leaves", async () => {
    const wire = openWire()
    const waiting = wire.reply.wait(3_600_000)
    await wire.hangUp()
    await waiting
    expect(wire.body()).toBe("")
  })

  test("is none where the turn goes its way", async () =>
    expect(await openWire().reply.breaksOff({ text: "Hi." })).toBe(false))
})

describe("an agent that has left", () => {
  test("hears nothing of what is still said, and nobody fails for it", async () => {
    const wire = openWire()
    wire.reply.stream()
    wire.reply.event("heard", {})
    await waitFor(() => wire.body().includes("heard"))
    await wire.hangUp()
    wire.reply.event("unheard", {})
    wire.reply.end()
    await wire.reply.drop()
    expect(wire.body()).toBe("event: heard\ndata: {}\n\n")
  })

  test("does not hold up a text that is said slowly", async () => {
    const wire = openWire()
    await wire.hangUp()
    const pieces: string[] = []
    await wire.reply.pieces({ text: "x".repeat(80), chunkDelay: 3_600_000 }, (piece) => pieces.push(piece))
    expect(pieces).toHaveLength(10)
  })
})

describe("a text in pieces", () => {
  test("is whole again also where a piece ends inside of a character", async () => {
    const said = `${"x".repeat(399)}😀 and on`
    const pieces: string[] = []
    await openWire().reply.pieces({ text: said }, (piece) => pieces.push(JSON.parse(JSON.stringify(piece)) as string))
    expect(pieces.map(({ length }) => length)).toEqual([400, 8])
    expect(pieces.join("")).toBe(said)
  })
})
