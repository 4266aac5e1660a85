import { describe, expect, it } from "vitest"
import { localPath } from "./oidc-door.ts"

describe("localPath", () => {
  it.each(["/", "/projects/1?tab=tasks#comment", "/a//b"])("goes back to %s", (path) => {
    expect(localPath(path)).toBe(path)
  })

  it.each([
    undefined,
    "",
    "projects",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "/a\\b",
    "/a b",
    "/\t/evil.example",
    "/a\r\nset-cookie: x",
  ])("does not follow %j", (path) => {
    expect(localPath(path)).toBe("/")
  })
})
