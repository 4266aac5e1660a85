import { expect, it } from "vitest"
import { linkForOthers } from "./link-for-others.ts"

it.each([
  ["http://127.0.0.1:8637", "127.0.0.1:8637"],
  ["http://localhost:8637", "localhost:8637"],
  ["http://[::1]:8637", "[::1]:8637"],
  ["http://192.168.0.7:8637", undefined],
  ["https://chorus.example.com", undefined],
])("a link made at %s opens only at %s", (origin, onlyAt) => {
  expect(linkForOthers("/sign-in#token", origin)).toEqual({
    href: `${origin}/sign-in#token`,
    ...(onlyAt === undefined ? {} : { onlyAt }),
  })
})
