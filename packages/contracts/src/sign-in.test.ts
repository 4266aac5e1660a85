import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { faults } from "../test/contract.ts"
import { routes } from "./routes.ts"
import { LinkAnswer, LinkRequest, Password, PasswordSignIn } from "./sign-in.ts"
import { SIGN_IN_REFUSALS } from "./sign-in-refusals.ts"

describe("a password", () => {
  it("needs ten characters and nothing else", () => {
    expect(faults(Password, "too short")).toHaveLength(1)
    expect(faults(Password, "long enough")).toEqual([])
  })

  it("comes with an address as people type it", () => {
    expect(PasswordSignIn.parse({ email: " Ada@Chorus.Example ", password: "x" }).email).toBe("ada@chorus.example")
  })
})

describe("a sign-in link", () => {
  it.each([{}, { token: "" }, { token: 7 }, { token: "x".repeat(129) }])("is not %j", (request) => {
    expect(LinkRequest.safeParse(request).success).toBe(false)
  })

  it("signs in or asks, and a question says between whom", () => {
    const [here, holder] = [
      { uuid: "a", name: "Ada" },
      { uuid: "b", name: "Bea" },
    ]
    expect(LinkAnswer.parse({ signedIn: true })).toEqual({ signedIn: true })
    expect(LinkAnswer.parse({ signedIn: false, here, holder })).toEqual({ signedIn: false, here, holder })
    expect(LinkAnswer.safeParse({ signedIn: false }).success).toBe(false)
  })
})

describe.each(["docs/sign-in.md", "docs/zh/sign-in.md"])("%s", (book) => {
  const text = readFileSync(new URL(`../../../${book}`, import.meta.url), "utf8")
  const firstCells = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = ""]) => cell)

  it("names every reason for a refusal, and no other", () => {
    expect(firstCells.filter((cell) => /^(oidc_|person_)/.test(cell))).toEqual([...SIGN_IN_REFUSALS])
  })

  it("names every route that answers in JSON", () => {
    const named = firstCells.filter((cell) => cell.includes("/api/auth/") && !cell.includes("/oidc/"))
    expect(named).toEqual(Object.keys(routes).filter((name) => name.includes("/api/auth/")))
  })
})
