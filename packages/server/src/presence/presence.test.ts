import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { NOBODY } from "../operation.ts"
import type { Touch } from "../registry.ts"
import { Presence, type Sighting } from "./presence.ts"

const agent = { ...NOBODY, type: "agent" as const, uuid: "a1", name: "Dev", workspaceUuid: "w1" }
const task = { noun: "task", uuid: "t1", projectUuid: "p1" }

function touch(second: number, more: Partial<Touch> = {}): Touch {
  return { actor: agent, kind: "read", reached: [task], at: new Date(second * 1000).toISOString(), ...more }
}

/** A bus as one server alone has it. */
function bus() {
  const emitter = new EventEmitter()
  return {
    engine: "sqlite" as const,
    broadcast: async (topic: string, message: string) => void emitter.emit(topic, message),
    onBroadcast: (topic: string, listener: (message: string) => void) => {
      emitter.on(topic, listener)
      return () => void emitter.off(topic, listener)
    },
  }
}

function watched() {
  const presence = new Presence(bus())
  const seen: Sighting[] = []
  const stop = presence.watch((sighting) => seen.push(sighting))
  return { presence, seen, stop }
}

describe("presence", () => {
  it("tells what an agent looks at and what it changes", () => {
    const { presence, seen } = watched()
    presence.note(touch(0))
    presence.note(touch(0, { kind: "write" }))
    expect(seen).toMatchObject([
      {
        entityType: "task",
        entityUuid: "t1",
        projectUuid: "p1",
        action: "view",
        agent: { name: "Dev" },
        workspaceUuid: "w1",
      },
      { action: "mutate" },
    ])
  })

  it("does not repeat itself within two seconds", () => {
    const { presence, seen } = watched()
    for (const second of [0, 0.5, 1.9, 2, 3, 4.1]) presence.note(touch(second))
    expect(seen.map(({ at }) => Date.parse(at) / 1000)).toEqual([0, 2, 4.1])
  })

  it("says nothing of people, nor of things it does not show", () => {
    const { presence, seen } = watched()
    presence.note(touch(0, { actor: { ...agent, type: "user" } }))
    presence.note(touch(0, { reached: [{ noun: "project", uuid: "p1", projectUuid: "p1" }] }))
    expect(seen).toEqual([])
  })

  it("stops when nobody watches", () => {
    const { presence, seen, stop } = watched()
    stop()
    presence.note(touch(0))
    expect(seen).toEqual([])
  })

  it("hears what was touched on another server, once, however many servers say it", async () => {
    const shared = { ...bus(), engine: "postgres" as const }
    const [here, there, watching] = [new Presence(shared), new Presence(shared), new Presence(shared)]
    const seen: Sighting[] = []
    watching.watch((sighting) => seen.push(sighting))
    for (let n = 0; n < 100; n++) here.note(touch(0, { reached: [{ ...task, uuid: `t${n}` }] }))
    there.note(touch(1, { reached: [{ ...task, uuid: "t7" }] }))
    await expect.poll(() => seen.length, { timeout: 8000 }).toBe(100)
    expect(new Set(seen.map(({ entityUuid }) => entityUuid)).size).toBe(100)
    for (const presence of [here, there, watching]) presence.close()
  })
})
