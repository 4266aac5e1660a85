import { describe, expect, it } from "vitest"
import { initialLanguage } from "./language.ts"

describe("language", () => {
  it("follows the person, then the browser, then English", () => {
    expect(initialLanguage("zh", ["en"])).toBe("zh")
    expect(initialLanguage(null, ["fr", "zh-CN", "en"])).toBe("zh")
    expect(initialLanguage(null, ["de"])).toBe("en")
    expect(initialLanguage("klingon", ["zh"])).toBe("zh")
  })
})
