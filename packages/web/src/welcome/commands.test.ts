import { expect, it } from "vitest"
import { connectCommands, PROGRAMS } from "./commands.ts"

it.each(PROGRAMS)("connects %s in two lines that carry the server and the key", (program) => {
  const [connect, start] = connectCommands(program, "http://127.0.0.1:8637", "cho_x")
  expect(connect).toBe(`chorus connect ${program} --url http://127.0.0.1:8637 --key cho_x`)
  expect(start).toMatch(program === "claude" ? /^claude$/ : new RegExp(`^CHORUS_API_KEY=cho_x ${program}$`))
})
