import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Field } from "./shapes.ts"

/**
 * What the source says about shapes and their fields in `/** … *\/` above them, by `Shape` and `Shape.field`. It is not in the schemas
 * because every word there is paid for by each agent that lists the tools.
 */
export function remarksIn(contracts: string): Map<string, string> {
  const remarks = new Map<string, string>()
  const files = readdirSync(contracts, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  )
  for (const file of files.sort()) collect(readFileSync(join(contracts, file), "utf8"), remarks)
  return remarks
}

/** Fields with what the source says about them put before their limits. */
export function remarked(shape: string, fields: readonly Field[], remarks: ReadonlyMap<string, string>): Field[] {
  return fields.map((field) => {
    const says = remarks.get(`${shape}.${field.path.split(".").at(-1)?.replace("[]", "") ?? ""}`)
    return says === undefined ? field : { ...field, note: `${says}${field.note === "" ? "" : ` (${field.note})`}` }
  })
}

function collect(text: string, remarks: Map<string, string>): void {
  let shape = ""
  let said: string | undefined
  for (const line of joined(text).split("\n")) {
    const remark = /^\s*\/\*\*\s*(.*?)\s*\*\/\s*$/.exec(line)?.[1]
    if (remark !== undefined) {
      said = remark
      continue
    }
    const begins = /^export const (\w+)/.exec(line)?.[1]
    if (begins !== undefined) shape = begins
    const field = /^\s+(\w+):/.exec(line)?.[1]
    const key = begins ?? (field === undefined ? undefined : `${shape}.${field}`)
    if (said !== undefined && key !== undefined && !remarks.has(key)) remarks.set(key, said)
    said = undefined
  }
}

/** Remarks of several lines in one. */
function joined(text: string): string {
  return text.replace(
    /\/\*\*[\s\S]*?\*\//g,
    (remark) =>
      `/** ${remark
        .slice(3, -2)
        .replace(/\s*\n\s*\*?\s*/g, " ")
        .trim()} */`,
  )
}
