import { readFileSync } from "node:fs"
import { isErrno } from "./errno.ts"

/** The value in a JSON file; undefined when there is no file, or none that can be read as JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

/** The text of a file; undefined when there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined
    throw error
  }
}
