import assert from "node:assert/strict"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { check, type Expectation, filled } from "./expectation.ts"
import type { ConformanceSubject, Terms, TraceStep } from "./subject.ts"

export interface ConformanceCase {
  readonly name: string
  run(subject: ConformanceSubject): Promise<void>
}

const DATA = fileURLToPath(new URL("../../conformance/", import.meta.url))

/**
 * All cases: recorded teams of both eras, every message kind, the protocols as traces, and what binds a member of each
 * type on each program. Run each with your implementation.
 */
export function conformanceCases(): ConformanceCase[] {
  return [...recordedTeams(), ...messageKinds(), ...traces(), ...types()]
}

function recordedTeams(): ConformanceCase[] {
  const folder = join(DATA, "fixtures", "teams")
  return readdirSync(folder).map((recording) => ({
    name: `team ${recording} is read, rewritten and read back equal`,
    run: (subject) =>
      inScratch(async (root) => {
        cpSync(join(folder, recording), root, { recursive: true })
        await subject.rewrite(root)
        const before = contents(join(folder, recording))
        const after = contents(root)
        assert.ok(before.size > 0)
        for (const [path, value] of before) assert.deepEqual(after.get(path), value, path)
      }),
  }))
}

interface MessageFixture {
  readonly message: { text: string; read?: boolean; from?: string; timestamp?: string }
  readonly inner?: { type: string }
}

const KNOWN = /^(task_assignment|idle_notification|shutdown_|plan_approval_|permission_)/

function messageKinds(): ConformanceCase[] {
  const folder = join(DATA, "fixtures", "inbox-messages")
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
  return files.map((file) => ({
    name: `message ${file} is delivered with its kind and survives`,
    run: (subject) =>
      inScratch(async (root) => {
        const fixture = JSON.parse(readFileSync(join(folder, file), "utf8")) as MessageFixture
        const config = readFileSync(
          join(DATA, "fixtures", "teams", "2.1.41", "teams", "feb-team", "config.json"),
          "utf8",
        )
        mkdirSync(join(root, "teams", "feb-team", "inboxes"), { recursive: true })
        writeFileSync(join(root, "teams", "feb-team", "config.json"), config)
        const path = join(root, "teams", "feb-team", "inboxes", "bob.json")
        writeFileSync(path, JSON.stringify([fixture.message], null, 2))
        const delivered = await subject.deliverable(root, "feb-team", "bob")
        const kind = fixture.inner?.type ?? "message"
        assert.deepEqual(
          delivered.map((one) => [one.kind, one.text]),
          [[kind, fixture.message.text]],
        )
        if (KNOWN.test(kind)) assert.deepEqual(delivered[0]?.body, fixture.inner)
        await subject.rewrite(root)
        assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), [fixture.message])
      }),
  }))
}

interface Trace {
  readonly about: string
  readonly team: string
  readonly steps: (TraceStep | Expectation)[]
}

function traces(): ConformanceCase[] {
  const folder = join(DATA, "traces")
  return readdirSync(folder).map((file) => {
    const trace = JSON.parse(readFileSync(join(folder, file), "utf8")) as Trace
    return {
      name: `trace ${basename(file, ".json")}: ${trace.about}`,
      run: (subject) => inScratch((root) => follow(subject, root, trace)),
    }
  })
}

interface TypeRow extends Terms {
  readonly program: string
  readonly type: string
  readonly mode: string
}

function types(): ConformanceCase[] {
  const rows = JSON.parse(readFileSync(join(DATA, "types.json"), "utf8")) as TypeRow[]
  return rows.map(({ program, type, mode, flags, permission }) => ({
    name: `type ${type} of ${program} in mode ${mode} is bound by ${[...flags, ...Object.keys(permission)].join(" ")}`,
    async run(subject) {
      const terms = subject.terms(program, type, mode)
      assert.deepEqual([terms.flags, terms.permission], [flags, permission])
    },
  }))
}

async function follow(subject: ConformanceSubject, root: string, trace: Trace): Promise<void> {
  const saved = new Map<string, string>()
  for (const step of trace.steps) {
    if (step["expect"] === "seen") await seen(subject, root, trace.team, step as Expectation, saved)
    else if ("expect" in step) check(root, trace.team, step as Expectation, saved)
    else await perform(subject, root, trace.team, step as TraceStep, saved)
  }
}

/** A process that was killed a moment ago may not have ended yet. */
const SEEN_WITHIN_MS = 2000

/** What a watcher sees now, or as soon as it has to. */
async function seen(
  subject: ConformanceSubject,
  root: string,
  team: string,
  step: Expectation,
  saved: ReadonlyMap<string, string>,
): Promise<void> {
  const wanted = filled([step["states"] ?? {}, step["open"] ?? []], saved)
  for (const end = Date.now() + SEEN_WITHIN_MS; ;) {
    const { states, open } = await subject.look(root, team)
    const named = Object.fromEntries(Object.keys(step["states"] ?? {}).map((name) => [name, states[name]]))
    if (isDeepStrictEqual([named, open], wanted)) return
    if (Date.now() > end) assert.deepEqual([named, open], wanted)
  }
}

async function perform(
  subject: ConformanceSubject,
  root: string,
  team: string,
  step: TraceStep,
  saved: Map<string, string>,
): Promise<void> {
  const request = typeof step["request"] === "string" ? { request: saved.get(step["request"].slice(1)) } : {}
  const doing = subject.perform(root, team, { ...step, ...request })
  if (step.fails !== undefined) {
    await assert.rejects(
      doing,
      (error: { code?: unknown }) => error.code === step.fails,
      `${step.do} should fail with ${step.fails}`,
    )
    return
  }
  const id = await doing
  if (step.save !== undefined && id !== undefined) saved.set(step.save, id)
}

function contents(folder: string): Map<string, unknown> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes(`${join(folder, "chorus")}`),
  )
  return new Map(
    files.map((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8")
      return [
        join(entry.parentPath, entry.name).slice(folder.length),
        entry.name.endsWith(".json") ? (JSON.parse(text) as unknown) : text.trim(),
      ]
    }),
  )
}

async function inScratch(work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "chorus-conformance-"))
  try {
    await work(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
