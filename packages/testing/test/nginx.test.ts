import { describe, expect, test } from "vitest"
import { freePort, startNginx } from "@chorus/testing"

const INSTALLING = { timeout: 600_000 }

/** Whether somebody answers, and what. */
const answerOf = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    (answer) => answer.text(),
    () => undefined,
  )

describe("a private nginx", INSTALLING, () => {
  test("serves what its site says, until it is stopped", async () => {
    const port = await freePort()
    const nginx = await startNginx(
      `server { listen 127.0.0.1:${port}; location / { return 200 "of wood"; } }`,
      async () => (await answerOf(port)) !== undefined,
    )
    expect(await answerOf(port)).toBe("of wood")
    await nginx.stop()
    expect(await answerOf(port)).toBeUndefined()
  })

  test("that does not understand its site ends, and says why", async () => {
    await expect(startNginx("server { lisssten 80; }", async () => false)).rejects.toThrow(
      /nginx ended with 1:[\s\S]*unknown directive "lisssten"/,
    )
  })
})
