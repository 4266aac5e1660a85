import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it, onTestFinished, vi } from "vitest"
import { resumeStore } from "../resume/resume-store.ts"
import { startStatusService } from "../listener/status-service.ts"
import { ChorusStatus } from "./plugin.ts"

it("tells the next listener again what goes on", async () => {
  const { listen, plugin, prompt } = await openDesk()
  const first = await listen()
  await prompt("Mend the door")
  const asked = { id: "per1", sessionID: "s", permission: "bash", patterns: ["make"] }
  await plugin.event?.({ event: { type: "permission.asked", properties: asked } })
  const row = { terminalId: "t", agent: "opencode", state: "needsInput", detail: "bash: make", ask: "per1" }
  await vi.waitFor(() => expect(first.listener.book.rows()).toMatchObject([row]))
  await first.close()

  const next = await listen()
  await vi.waitFor(() => expect(next.listener.book.rows()).toMatchObject([row]), 5000)
})

it("tells the next listener how a turn ended that nobody heard of, and that it ended with it", async () => {
  const { listen, plugin, prompt } = await openDesk()
  const first = await listen()
  await prompt("Mend the door")
  await vi.waitFor(() => expect(first.listener.book.rows()).toMatchObject([{ state: "running" }]))
  await first.close()
  await plugin.event?.({ event: { type: "session.idle", properties: { sessionID: "s" } } })
  const [next] = await Promise.all([listen(), plugin.dispose?.()])
  await vi.waitFor(() => expect(next.listener.book.get("t")?.status.ended).toBe(true), 5000)
  expect(next.listener.book.rows()).toMatchObject([{ state: "finished", exitCode: 0, title: "Mend the door" }])
})

it("that has not been asked anything yet is idle for the next listener too", async () => {
  const { listen } = await openDesk()
  const first = await listen()
  const idle = { terminalId: "t", state: "idle" }
  await vi.waitFor(() => expect(first.listener.book.rows()).toMatchObject([idle]), 5000)
  await first.close()
  const next = await listen()
  await vi.waitFor(() => expect(next.listener.book.rows()).toMatchObject([idle]), 5000)
})

it("tells the first listener what it did before", async () => {
  const { listen, prompt } = await openDesk()
  await prompt("Mend the door")
  const { listener } = await listen()
  await vi.waitFor(
    () => expect(listener.book.rows()).toMatchObject([{ state: "running", title: "Mend the door" }]),
    5000,
  )
})

it("holds its program up for no listener that does not come", async () => {
  const { plugin, prompt } = await openDesk()
  await prompt("Mend the door")
  await plugin.dispose?.()
}, 5000)

async function openDesk() {
  const folder = temporaryDirectory("plugin-")
  onTestFinished(folder.remove)
  const [socketPath, home] = [join(folder.path, "s"), folder.path]
  // As whoever has asked for a listener leaves it.
  writeFileSync(`${socketPath}.log`, "")
  vi.stubEnv("CHORUS_SOCK", socketPath)
  vi.stubEnv("CHORUS_TERMINAL_ID", "t")
  onTestFinished(() => void vi.unstubAllEnvs())
  const plugin = await ChorusStatus({ directory: "/p" })
  onTestFinished(async () => {
    rmSync(`${socketPath}.log`)
    await plugin.dispose?.()
  })
  return {
    plugin,
    prompt: (text: string) => plugin["chat.message"]?.({ sessionID: "s" }, { parts: [{ type: "text", text }] }),
    async listen() {
      const service = await startStatusService({ socketPath, home, resume: resumeStore(join(home, "state")) })
      onTestFinished(service.close)
      return service
    },
  }
}
