import { describe, expect, it } from "vitest"
import { type Dictionary, en } from "./en.ts"
import { translate } from "./translate.ts"
import { zh } from "./zh.ts"

const made = { ...en, "app.name": "{count} {count|task|tasks} by {name}" } as Dictionary

describe("translate", () => {
  it("fills in parameters and leaves unknown ones visible", () => {
    expect(translate(en, "signIn.withProvider", { name: "Acme" })).toBe("Continue with Acme")
    expect(translate(zh, "signIn.withProvider")).toBe("使用 {name} 继续")
  })

  it("chooses the form that fits the number", () => {
    expect(translate(made, "app.name", { count: 1, name: "Ada" })).toBe("1 task by Ada")
    expect(translate(made, "app.name", { count: 0, name: "Ada" })).toBe("0 tasks by Ada")
  })
})

describe("the dictionaries", () => {
  it("name the same parameters in every language", () => {
    const named = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort()
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect(named(zh[key]), key).toEqual(named(en[key]))
  })
})
