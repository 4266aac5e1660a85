import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { readRows, startStatusService } from "@chorus/status"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { resumeStore } from "../src/resume/resume-store.ts"

const LINES = process.env["CHORUS_STRESS"] === "1" ? 1_000_000 : 100_000
const RESUME = /^(claude --resume|codex resume|opencode --session) [A-Za-z0-9_][A-Za-z0-9_-]*$/

it(
  "random and mutated lines in great number: no crash, no shell word in a resume command",
  { timeout: 300_000 },
  async () => {
    const directory = temporaryDirectory("chorus-hostile-")
    const path = join(directory.path, "s.sock")
    const resumes = new Set<string>()
    const service = await startStatusService({
      socketPath: path,
      home: path,
      resume: resumeStore(join(directory.path, "state")),
      forwarders: [{ changed: (row) => row.resumeCommand !== null && resumes.add(row.resumeCommand) }],
    })
    onTestFinished(async () => {
      await service.close()
      await directory.remove()
    })
    const random = dice(20_261_115)
    const sender = connect(path)
    for (let sent = 0; sent < LINES;) {
      const batch = Array.from({ length: 2000 }, () => hostileLine(random)).join("")
      sent += 2000
      if (!sender.write(Buffer.from(batch, "latin1"))) await once(sender, "drain")
    }
    sender.end(`\n${JSON.stringify({ terminalId: "the-end", event: "running", agent: "claude", at: Date.now() })}\n`)
    const rows = await waitFor(
      async () => (await readRows(path)).some((row) => row.terminalId === "the-end") && readRows(path),
      240_000,
      "the last line",
      200,
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(resumes.size).toBeGreaterThan(LINES / 20_000)
    for (const command of [...resumes, ...rows.flatMap((row) => row.resumeCommand ?? [])])
      expect(command).toMatch(RESUME)
    for (const row of rows) expect(JSON.stringify(Object.values(row))).not.toMatch(/\\u00[01]|\u007f/)
  },
)

type Dice = (sides: number) => number

/** A small repeatable generator: a failure can be run again. */
function dice(seed: number): Dice {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // The low bits of such a generator repeat soon.
    return (state >>> 9) % sides
  }
}

const EVENTS = ["running", "idle", "needsInput", "finished", "exited", "lost", "note", "UserPromptSubmit", ""]
const AGENTS = ["claude", "codex", "opencode", "claude;ls", "__proto__"]
const IDS = [
  "01a1de43-873b-78a0-a1a5-228f04f958fb",
  "ses_abc",
  "$(id)",
  "`id`",
  "a;rm -rf ~",
  "-p",
  "a b",
  "a\\u000ab",
  "'",
  '\\"',
  "../..",
  "a&&b",
  "a|b",
  "a>b",
  "%0a",
  "\\u202e",
]
const HOOKS = [
  "UserPromptSubmit",
  "Stop",
  "PreToolUse",
  "PostToolUse",
  "SessionEnd",
  "PermissionRequest",
  "Notification",
  "StopFailure",
  "constructor",
]

let counter = 0

function hostileLine(random: Dice): string {
  const pick = (list: readonly string[]) => list[random(list.length)] ?? ""
  const id = random(2) === 0 ? pick(IDS) : `s${random(100_000)}${pick(["", "", ";", "$", "-", " "])}`
  const at = random(8) === 0 ? random(2_000_000_000) : 1_794_000_000_000 + counter++
  const shapes = [
    () =>
      `{"terminalId":"t${random(50)}","event":"${pick(EVENTS)}","agent":"${pick(AGENTS)}","at":${at},"resumeCommand":"claude --resume ${id}","summary":"${id}"}`,
    () =>
      `{"hook":"${pick(AGENTS)}","terminalId":"t${random(50)}","at":${at},"pid":${random(100_000)},"payload":{"hook_event_name":"${pick(HOOKS)}","session_id":"${id}","prompt":"${id}","tool_name":"Bash","tool_input":{"command":"${id}"}}}`,
    () => `{"hook":"claude","terminalId":"t1","head":"{\\"hook_event_name\\":\\"Stop\\",\\"session_id\\":\\"${id}"}`,
    () => `{"osc":"state=${pick(EVENTS)}:app=codex:kind=${id}","terminalId":"t${random(50)}"}`,
    () => `{"ask":"${pick(["nothing", "__proto__", "toString"])}"}`.slice(0, random(30)),
    () => Array.from({ length: random(60) }, () => String.fromCharCode(random(256))).join(""),
    () => `${"[".repeat(random(200))}${'{"a":'.repeat(random(50))}`,
  ]
  const line = shapes[random(shapes.length)]?.() ?? ""
  return `${random(3) === 0 ? mutated(line, random) : line}\n`
}

function mutated(line: string, random: Dice): string {
  const at = random(line.length + 1)
  const changes = [
    line.slice(0, at),
    line.slice(at),
    line.slice(0, at) + String.fromCharCode(random(256)) + line.slice(at + 1),
    line + line,
    line.slice(0, at) + line.slice(at + random(9)),
  ]
  return changes[random(changes.length)] ?? ""
}
