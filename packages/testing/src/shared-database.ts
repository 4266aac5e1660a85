import { request } from "node:http"
import { text } from "node:stream/consumers"
import { inject } from "vitest"

/** The address of an empty database on the PostgreSQL that all files of a run share, or of a copy of one that nobody uses now. */
export function sharedDatabase(copyOf = ""): Promise<string> {
  const path = new URL(copyOf, "postgres://none/").pathname
  const asked = { socketPath: inject("sharedPostgres"), path, agent: false } as const
  return new Promise((resolve, reject) => {
    request(asked, (answer) => {
      text(answer).then((said) => (answer.statusCode === 200 ? resolve(said) : reject(new Error(said))), reject)
    })
      .on("error", reject)
      .end()
  })
}
