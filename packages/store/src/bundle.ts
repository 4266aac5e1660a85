import { createHash } from "node:crypto"
import { type BundleEnd, ChorusError } from "@chorus/contracts"

export const BUNDLE_FORMAT = 1

/** Counts and digests row lines, on the way out and on the way in. */
export class BundleTally {
  readonly #hash = createHash("sha256")
  readonly #rows: Record<string, number> = {}

  add(table: string, line: string): void {
    this.#hash.update(`${line}\n`)
    this.#rows[table] = (this.#rows[table] ?? 0) + 1
  }

  end(): BundleEnd {
    return { end: true, rows: this.#rows, sha256: this.#hash.digest("hex") }
  }
}

export function badBundle(message: string, cause?: unknown): ChorusError {
  return new ChorusError("bad_bundle", `This bundle cannot be read: ${message}.`, {
    next: "Make a new export, and copy the file whole. Nothing was changed.",
    cause,
  })
}
