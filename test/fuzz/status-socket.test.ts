import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { ping, readRows, startStatusService, type StatusService } from "@chorus/status"
import { temporaryDirectory, type TemporaryDirectory, waitFor } from "@chorus/testing"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { hostileJson, hostileText, runs } from "./hostile.ts"

let directory: TemporaryDirectory
let service: StatusService
let path: string

beforeAll(async () => {
  directory = temporaryDirectory("chorus-socket-")
  path = join(directory.path, "s.sock")
  service = await startStatusService({ socketPath: path, home: path })
})

afterAll(async () => {
  await service.close()
  await directory.remove()
})

it("questions, lines and bytes of any kind, cut anywhere: it answers the next one, and shows only states there are", async () => {
  const line = fc.oneof(
    fc
      .record(
        {
          ask: fc.oneof(fc.constantFrom("ping", "rows", "watch", "forget", "__proto__"), hostileJson),
          terminalId: hostileJson,
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
    fc
      .record(
        {
          terminalId: fc.oneof(fc.constantFrom("t1", "t2"), hostileText),
          agent: fc.oneof(fc.constantFrom("claude", "codex"), hostileJson),
          event: fc.oneof(fc.constantFrom("running", "needsInput", "finished"), hostileJson),
          at: fc.oneof(fc.constant(Date.now()), hostileJson),
          pid: hostileJson,
          sessionTitle: hostileJson,
          summary: hostileJson,
          resumeCommand: hostileJson,
          exitCode: hostileJson,
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
    fc
      .record(
        {
          hook: fc.constantFrom("claude", "codex"),
          terminalId: hostileText,
          payload: hostileJson,
          head: hostileJson,
          pid: hostileJson,
        },
        { requiredKeys: ["hook"] },
      )
      .map((value) => JSON.stringify(value)),
    hostileJson.map((value) => JSON.stringify(value) ?? ""),
    hostileText,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 4 }), async (lines, breaks) => {
      const socket = connect(path)
      socket.on("error", () => undefined)
      socket.resume()
      await once(socket, "connect")
      let rest = Buffer.from(`${lines.join("\n")}\n`)
      for (const cut of breaks) {
        const at = cut % (rest.length + 1)
        socket.write(rest.subarray(0, at))
        rest = rest.subarray(at)
      }
      socket.end(rest)
      await once(socket, "close")
    }),
    runs(200, 20_000),
  )
  expect((await ping(path))?.pid).toBe(process.pid)
  const rows = await readRows(path)
  expect(rows.length).toBeGreaterThan(1)
  for (const { state, terminalId, resumeCommand } of rows) {
    expect(["running", "idle", "needsInput", "finished", "unknown"]).toContain(state)
    expect(
      [...terminalId].every((sign) => sign >= " " && sign !== "\u007f"),
      JSON.stringify(terminalId),
    ).toBe(true)
    expect(resumeCommand ?? "claude --resume a").toMatch(
      /^(claude --resume|codex resume|opencode --session) [A-Za-z0-9_][A-Za-z0-9_-]*$/,
    )
  }
  await waitFor(() => service.listener.connections() === 0, 60_000, "every connection to be gone")
})
