import { describe, expect, it } from "vitest"
import { ENVIRONMENT, type EnvironmentVariable } from "./environment.ts"

const variables: [name: string, stated: EnvironmentVariable][] = Object.entries(ENVIRONMENT)
const ofPart = (part: EnvironmentVariable["part"]) =>
  variables.filter(([, stated]) => stated.part === part).map(([name]) => name)

describe("the variables of the environment", () => {
  it.each(variables)("%s is ours by name", (name) => expect(name).toMatch(/^CHORUS_[A-Z]+(_[A-Z]+)*$/))

  it.each(variables)("%s says what it does in a sentence", (_, { says }) => expect(says).toMatch(/^[A-Z`].*\.$/))

  it.each(variables.filter(([, { otherwise }]) => otherwise !== undefined))(
    "%s says what holds otherwise without a full stop",
    (_, { otherwise }) => {
      expect(otherwise).toMatch(/[^.]$/)
    },
  )

  it("that are switches say which value turns them on", () => {
    const switches = variables.filter(([name]) => /TRUST_|CHECK(?!_ID)|OFFLINE|ALLOW/.test(name))
    for (const [name, { says }] of switches) expect(says, name).toContain("`1`")
    expect(switches).toHaveLength(5)
  })

  it("of signing in stand together", () => {
    expect(ofPart("sign-in")).toEqual([
      "CHORUS_OIDC_ISSUER",
      "CHORUS_OIDC_CLIENT_ID",
      "CHORUS_OIDC_CLIENT_SECRET",
      "CHORUS_OIDC_NAME",
      "CHORUS_OIDC_DOMAINS",
      "CHORUS_OIDC_ROLE",
      "CHORUS_OIDC_TRUST_EMAIL",
    ])
  })

  it("that Chorus sets for its own programs have no default: nobody sets them by hand", () => {
    for (const name of ofPart("ours"))
      expect(ENVIRONMENT[name as keyof typeof ENVIRONMENT], name).not.toHaveProperty("otherwise")
  })
})
