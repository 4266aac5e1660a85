import { gzipSync } from "node:zlib"
import { type changes, ChorusError, type InputOf, type OutputOf } from "@chorus/contracts"
import type { Captured } from "./capture.ts"

const MOST_AT_ONCE = 2_400_000
const MOST_PARTS = 400

type Input = InputOf<typeof changes.sendChange>

/** Sends a change and what the server does not have of it yet, in as many calls as that takes. */
export async function sendChange(
  call: (input: Input) => Promise<OutputOf<typeof changes.sendChange>>,
  about: Pick<Input, "taskUuid" | "origin" | "run">,
  { change, parts }: Captured,
): Promise<changes.ChangeRow> {
  let answer = await call({ ...about, change })
  while (answer.version === null) {
    const wanted = answer.missing.length
    answer = await call({ ...about, change, parts: batchOf(answer.missing, parts) })
    if (answer.version === null && answer.missing.length >= wanted) throw stuck()
  }
  return answer.version
}

function batchOf(missing: readonly string[], parts: ReadonlyMap<string, Buffer>) {
  const batch: { sha256: string; gzip: string }[] = []
  let size = 0
  for (const sha256 of missing.slice(0, MOST_PARTS)) {
    const gzip = gzipSync(parts.get(sha256) ?? Buffer.alloc(0)).toString("base64")
    if (batch.length > 0 && size + gzip.length > MOST_AT_ONCE) break
    size += gzip.length
    batch.push({ sha256, gzip })
  }
  return batch
}

function stuck(): ChorusError {
  return new ChorusError("change_not_taken", "The server keeps asking for parts it was given.", {
    status: 502,
    next: "Try again; if it stays, look at the server's log.",
  })
}
