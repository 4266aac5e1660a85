import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isObject } from "../read/files.ts"
import { validatePath } from "./validate.ts"

interface Case {
  case: string
  target: string
  files: Record<string, unknown>
  verdict: "valid" | "warnings" | "errors"
}

const fixtures = join(import.meta.dirname, "../../fixtures")
const cases = JSON.parse(gunzipSync(readFileSync(join(fixtures, "verdicts.json.gz"))).toString("utf8")) as Case[]
const deviations = JSON.parse(readFileSync(join(fixtures, "deviations.json"), "utf8")) as Record<
  "codes" | "cases",
  Record<string, string>
>

let scratch = ""
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "chorus-verdicts-"))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test(
  "gives the real program's verdict on its 489 cases, but for the deviations we list and explain",
  { timeout: 60_000 },
  () => {
    const different: Record<string, string> = {}
    for (const one of cases) {
      const { verdict, messages } = validatePath(join(lay(one), one.target))
      if (verdict === one.verdict) continue
      const ours = messages.filter(({ level, code }) => level !== "note" && Object.hasOwn(deviations.codes, code))
      different[one.case] = [...new Set(ours.map(({ code }) => code))].join(" ")
    }
    expect(cases.length).toBe(489)
    expect(different).toEqual(deviations.cases)
    expect(Object.keys(different).length / cases.length).toBeLessThanOrEqual(0.02)
  },
)

test(
  "every message names a file, a code and a level, and every error of a JSON file its line",
  { timeout: 60_000 },
  () => {
    const odd = cases.flatMap((one) =>
      validatePath(join(scratch, one.case, one.target)).messages.filter(
        (message) =>
          message.file === "" ||
          !/^[a-z_]+$/.test(message.code) ||
          (message.level === "error" &&
            message.file.endsWith(".json") &&
            !["target_missing"].includes(message.code) &&
            message.line === undefined),
      ),
    )
    expect(odd).toEqual([])
  },
)

function lay(one: Case): string {
  const root = join(scratch, one.case)
  for (const [name, content] of Object.entries(one.files)) {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytesOf(content))
  }
  mkdirSync(root, { recursive: true })
  return root
}

function bytesOf(content: unknown): string | Buffer {
  if (typeof content === "string") return content
  const wide = isObject(content) ? content["__bytes_utf16__"] : undefined
  return typeof wide === "string" ? Buffer.from(`\uFEFF${wide}`, "utf16le") : JSON.stringify(content)
}
