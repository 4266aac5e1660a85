import { ChorusError } from "@chorus/contracts"
import { expect, it } from "vitest"
import { asUnavailable } from "./unavailable.ts"

const failing = (message: string, more: object = {}) => Object.assign(new Error(message), more)

it.each([
  ["was stopped", failing("terminating connection due to administrator command", { code: "57P01" })],
  ["is starting", failing("the database system is starting up", { code: "57P03" })],
  ["has no connection left", failing("sorry, too many clients already", { code: "53300" })],
  ["is not there", failing("connect ECONNREFUSED 127.0.0.1:5432", { code: "ECONNREFUSED", syscall: "connect" })],
  ["has no socket", failing("connect ENOENT /run/postgresql/.s.PGSQL.5432", { code: "ENOENT", syscall: "connect" })],
  ["takes no changes", failing("cannot execute UPDATE in a read-only transaction", { code: "25006" })],
  ["went away", failing("Connection terminated unexpectedly")],
  ["does not answer", failing("timeout exceeded when trying to connect")],
])("a database that %s is one to try again with", (_, error) => {
  expect(asUnavailable(error)).toMatchObject({ code: "store_unavailable", status: 503 })
})

it("any other error stays what it is", () => {
  const others = [
    failing("duplicate key", { code: "23505" }),
    failing("no such file", { code: "ENOENT", syscall: "open" }),
    failing("The word Connection in a text"),
    new ChorusError("x", "y", {}),
    "text",
  ]
  for (const error of others) expect(asUnavailable(error)).toBe(error)
})

it.each([
  ["53100", "disk_full"],
  ["XX001", "store_damaged"],
  ["XX002", "store_damaged"],
])("a database that says %s answers, but %s", (code, fault) => {
  expect(asUnavailable(failing("could not read block 3", { code }))).toMatchObject({
    code: fault,
    next: expect.stringMatching(/Make room|restore/),
  })
})

it("a lost database says that the change may have been kept, and how to find out", () => {
  const lost = failing("Connection terminated unexpectedly")
  expect(asUnavailable(lost)).toMatchObject({
    message: "The database does not answer: Connection terminated unexpectedly.",
    next: "Try again with the same idempotency key; a change that was kept is then answered, not repeated.",
    cause: lost,
  })
})

it.each([
  ["08006", true],
  ["57P02", true],
  ["53200", true],
  ["ECONNRESET", true],
  ["EPIPE", true],
  ["ETIMEDOUT", true],
  ["EHOSTUNREACH", true],
  ["22P02", false],
  ["42P01", false],
  ["40001", false],
  ["EACCES", false],
])("the code %s says that it is lost: %s", (code, isLost) => {
  expect(asUnavailable(failing("anything", { code })) instanceof ChorusError).toBe(isLost)
})
