import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { StatusRow } from "@chorus/contracts"
import { startServer } from "@chorus/server"
import { readRows, startStatusService } from "@chorus/status"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { startCompanion } from "../../packages/cli/src/companion/companion.ts"
import { chorusJson } from "../../packages/cli/test/chorus-process.ts"
import { makeKey } from "../../packages/server/test/running-server.ts"

const CASES = process.env["CHORUS_STRESS"] === "1" ? 100 : 3

const line = fc.record({
  terminalId: fc.constantFrom("t1", "t2", "t3"),
  agent: fc.constantFrom("claude", "codex", "opencode"),
  event: fc.constantFrom("running", "idle", "needsInput", "finished", "exited", "lost"),
  toolDetail: fc.constantFrom("Edit a.ts", "Bash: npm test", ""),
  summary: fc.constantFrom("All done.", "", "Ünïcödé 完了"),
  sessionTitle: fc.constantFrom("A title", "Another"),
})

it(
  "whatever the agents say, the command, the listener and the server's list show the same of every terminal",
  { timeout: 600_000 },
  async () => {
    await using directory = temporaryDirectory("chorus-same-")
    const server = await startServer({ dataDirectory: join(directory.path, "data"), port: 0 })
    const client = createClient({ url: server.url, key: await makeKey(server, "admin") })
    const path = join(directory.path, "s.sock")
    const service = await startStatusService({ socketPath: path, home: path })
    const companion = startCompanion({
      client,
      machine: "here",
      socketPath: path,
      data: directory.path,
      claudeDirectory: join(directory.path, "claude"),
    })
    let clock = Date.now()
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 15 }), async (lines) => {
          const socket = connect(path)
          socket.end(lines.map((one) => `${JSON.stringify({ ...one, at: ++clock })}\n`).join(""))
          socket.resume()
          await once(socket, "close")
          await waitFor(
            async () =>
              JSON.stringify(seen(await readRows(path))) ===
              JSON.stringify(seen((await client.call("chorus_list_terminals", {})).terminals)),
            60_000,
            "the server to know what the listener knows",
          )
          const told = seen(await readRows(path))
          expect(seen(await chorusJson<StatusRow[]>(["status", "--socket", path]))).toEqual(told)
          expect(seen((await client.call("chorus_list_terminals", {})).terminals)).toEqual(told)
        }),
        { numRuns: CASES, seed: 11 },
      )
    } finally {
      await companion.close()
      await service.close()
      await server.close()
    }
  },
)

/** What a person would read off each. */
function seen(
  rows: readonly Pick<StatusRow, "terminalId" | "agent" | "state" | "title" | "detail" | "summary" | "exitCode">[],
) {
  return rows
    .map(({ terminalId, agent, state, title, detail, summary, exitCode }) => ({
      terminalId,
      agent,
      state,
      title,
      detail,
      summary,
      exitCode,
    }))
    .toSorted((one, other) => (one.terminalId < other.terminalId ? -1 : 1))
}
