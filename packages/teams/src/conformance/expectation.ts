import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Config {
  members: { name: string; color?: string }[]
}
type Saved = ReadonlyMap<string, string>
export type Expectation = { readonly expect: string; readonly [field: string]: unknown }

/** Compares what lies in the files with what a trace expects. */
export function check(root: string, team: string, step: Expectation, saved: Saved): void {
  const place = (path: unknown) => join(root, String(path))
  switch (step.expect) {
    case "inbox":
      return sameEntries(inbox(root, team, step), step["entries"], saved)
    case "unread":
      return sameEntries(
        inbox(root, team, step).filter((entry) => entry["read"] !== true),
        step["entries"],
        saved,
      )
    case "task":
      return assert.deepEqual(json(join(root, "tasks", team, `${String(step["id"])}.json`)), step["equals"])
    case "no_task":
      return assert.equal(existsSync(join(root, "tasks", team, `${String(step["id"])}.json`)), false)
    case "file":
      return assert.equal(readFileSync(place(step["path"]), "utf8").trim(), step["equals"])
    case "no_file":
      return assert.equal(existsSync(place(step["path"])), false)
    case "members":
      return sameMembers(json(join(root, "teams", team, "config.json")) as Config, step)
    case "differ":
      return assert.notEqual(filled(step["one"], saved), filled(step["other"], saved))
    default:
      throw new Error(`unknown expectation ${step.expect}`)
  }
}

function sameMembers(config: Config, step: Expectation): void {
  assert.deepEqual(
    config.members.map((member) => member.name),
    step["names"],
  )
  if (step["colors"] !== undefined)
    assert.deepEqual(
      config.members.map((member) => member.color ?? null),
      step["colors"],
    )
}

function sameEntries(entries: Record<string, unknown>[], expected: unknown, saved: Saved): void {
  const plain = entries.map((entry) => ({ ...entry, text: unpacked(entry["text"]) }))
  assert.deepEqual(withTimes(plain), filled(expected, saved))
}

/** Times are whatever the clock said: any ISO time matches `$time`. */
function withTimes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === "timestamp" && typeof inner === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(inner) ? "$time" : inner,
    ),
  ) as unknown
}

export function filled(value: unknown, saved: Saved): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "string" && inner.startsWith("$") ? (saved.get(inner.slice(1)) ?? inner) : inner,
    ),
  ) as unknown
}

function unpacked(text: unknown): unknown {
  return typeof text === "string" && text.startsWith("{") ? (JSON.parse(text) as unknown) : text
}

function inbox(root: string, team: string, step: Expectation): Record<string, unknown>[] {
  return json(join(root, "teams", team, "inboxes", `${String(step["agent"])}.json`)) as Record<string, unknown>[]
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8")) as unknown
}
