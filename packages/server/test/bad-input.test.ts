import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { ChorusError, type Signature } from "@chorus/contracts"
import { exportLines, openSqliteSnapshot } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Actor, operations } from "../src/index.ts"
import { furnish } from "./furnished-project.ts"
import { inputSchema, type JsonSchema } from "./sample-input.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const signatures: readonly Signature[] = operations.map(({ signature }) => signature)

/** These take what a program says word for word, and put it in order themselves; sizes out of range are brought into it. */
const LENIENT = new Set(["chorus_hook", "chorus_report_machine"])
const CLAMPED = new Set(["page", "pageSize", "limit", "messages"])

/** What a program printed: it is taken, and what a terminal would obey is taken out (contracts/operations/checks). */
const CLEANED = new Set(["chorus_report_check tail", "chorus_send_check output"])

/** Texts with a nature of their own, which never held control characters. */
const OWN_NATURE = new Set(["uuid", "date-time", "uri", "email"])

let w: Workspace
beforeAll(async () => {
  w = await openWorkspace()
  await furnish(w, w.owner, w.admin, w.project, "Kept")
})
afterAll(() => w.close())

describe("bad input", () => {
  const fields = signatures
    .filter(({ name }) => !LENIENT.has(name))
    .flatMap((signature) =>
      Object.entries(inputSchema(signature).properties ?? {}).map(([field, schema]) => ({
        signature,
        name: signature.name,
        field,
        schema,
      })),
    )
    .filter(({ field }) => !CLAMPED.has(field))

  it("of every operation and field is refused by name, and changes nothing", async () => {
    const before = await everything()
    let tried = 0
    for (const { signature, name, field, schema } of fields) {
      for (const value of wrong(schema)) {
        const outcome = await w.call(callerFor(signature), name, { [field]: value }).catch((error: unknown) => error)
        const given = `${name} ${field} = ${JSON.stringify(value)?.slice(0, 60)}`
        if (!(outcome instanceof ChorusError)) throw new Error(`${given} was taken`, { cause: outcome })
        expect(outcome.code, given).toBe("invalid_input")
        expect(outcome.status, given).toBe(400)
        expect(outcome.next, given).toMatch(/nothing was changed/)
        expect(JSON.stringify(outcome.details), given).toContain(field)
        tried++
      }
    }
    expect(tried).toBeGreaterThan(800)
    expect(await everything()).toBe(before)
  })

  it.each(fields.filter(({ name, field, schema }) => texts(schema).length > 0 && !CLEANED.has(`${name} ${field}`)))(
    "$name takes no control characters in $field",
    ({ signature, field, schema }) => {
      for (const path of texts(schema)) {
        for (const sign of ["\u0000", "\u001b", "\u0007", "\u007f"]) {
          const parsed = signature.input.safeParse({ [field]: placed(path, `a${sign}b`) })
          expect(
            parsed.error?.issues.some((issue) => issue.path[0] === field && issue.path.length >= path.length),
            `${field}${path.join("")} with ${JSON.stringify(sign)}`,
          ).toBe(true)
        }
      }
    },
  )

  it.each(fields.filter(({ schema }) => texts(schema).length > 0))(
    "$name takes no endless text in $field",
    ({ signature, field, schema }) => {
      for (const path of texts(schema)) {
        const parsed = signature.input.safeParse({ [field]: placed(path, "x".repeat(5 * 1024 * 1024)) })
        expect(
          parsed.error?.issues.some((issue) => issue.path[0] === field && issue.path.length >= path.length),
          field + path.join(""),
        ).toBe(true)
      }
    },
  )

  it("holds for inputs that are no objects", async () => {
    for (const signature of signatures.filter(({ input }) => !input.safeParse({}).success)) {
      const { name } = signature
      for (const input of ["text", 7, [], [1], true]) {
        await expect(
          w.call(callerFor(signature), name, input as never),
          `${name} with ${JSON.stringify(input)}`,
        ).rejects.toMatchObject({ code: "invalid_input" })
      }
    }
  })

  it("is not mistaken for a change when ids are unknown", async () => {
    const before = await everything()
    for (const signature of signatures.filter(({ kind, name }) => kind === "write" && !LENIENT.has(name))) {
      const schema = inputSchema(signature)
      const ids = Object.entries(schema.properties ?? {}).filter(
        ([name, property]) => property.format === "uuid" && schema.required?.includes(name) === true,
      )
      if (ids.length === 0) continue
      const outcome = await w
        .call(callerFor(signature), signature.name, Object.fromEntries(ids.map(([name]) => [name, randomUUID()])))
        .catch((error: unknown) => error)
      expect(outcome, signature.name).toBeInstanceOf(ChorusError)
      expect(["not_found", "invalid_input"], signature.name).toContain((outcome as ChorusError).code)
    }
    expect(await everything()).toBe(before)
  })
})

/** Somebody who has every right, so that only the input can be at fault. */
function callerFor({ needs, name }: Signature): Actor {
  return needs === "person" || needs === "steward" || /_me$|sign_in/.test(name) ? w.owner : w.admin
}

/** Values that do not fit a field, whatever else the input holds. */
function wrong(schema: JsonSchema): unknown[] {
  const types = new Set([schema, ...(schema.anyOf ?? [])].map(({ type }) => type))
  const isText = types.has("string")
  const candidates: unknown[] = [
    ...(types.has("object") || types.has(undefined) ? [] : [{ a: 1 }]),
    ...(types.has("array") || types.has(undefined) ? [] : [[["nested"]]]),
    ...(types.has("boolean") || types.has(undefined) ? [] : [true]),
    ...(isText && schema.enum !== undefined ? ["no such choice", "__proto__"] : []),
    ...(isText && schema.format === "uuid"
      ? ["not-a-uuid", "", "11111111-1111-1111-1111-11111111111g", "'; drop table tasks; --"]
      : []),
    ...(types.has("array") ? ["text", 7] : []),
  ]
  // What is read as a number may come as text or a flag; there only what is no number is wrong.
  return types.has("number") || types.has("integer")
    ? candidates.filter((value) => typeof value === "object")
    : candidates
}

/** Where in a field free text stands: `[]` for the field itself, else the way to it through lists and objects. */
function texts(schema: JsonSchema, path: (string | number)[] = []): (string | number)[][] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  if (schema.type === "string") return schema.format === undefined || !OWN_NATURE.has(schema.format) ? [path] : []
  return [
    ...(schema.anyOf ?? []).flatMap((choice) => texts(choice, path)).slice(0, 1),
    ...(schema.items === undefined ? [] : texts(schema.items, [...path, 0])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => texts(property, [...path, name])),
  ]
}

function placed(path: readonly (string | number)[], text: string): unknown {
  const [first, ...rest] = path
  if (first === undefined) return text
  return typeof first === "number" ? [placed(rest, text)] : { [first]: placed(rest, text) }
}

/** The whole store as text, to see that nothing changed. */
async function everything(): Promise<string> {
  const directory = temporaryDirectory()
  const file = join(directory.path, "copy.sqlite")
  await sql`vacuum into ${file}`.execute(w.store.db)
  const snapshot = await openSqliteSnapshot(file)
  const lines: string[] = []
  for await (const line of exportLines(snapshot, { secrets: "kept", version: "1", now: new Date(0) })) lines.push(line)
  await snapshot.close()
  await directory.remove()
  return lines.join("\n")
}
