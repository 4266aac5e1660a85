import { describe, expect, it } from "vitest"
import { initialLanguage, translate } from "./language.ts"

describe("language", () => {
  it("follows the person, then the browser, then English", () => {
    expect(initialLanguage("zh", ["en"])).toBe("zh")
    expect(initialLanguage(null, ["fr", "zh-CN", "en"])).toBe("zh")
    expect(initialLanguage(null, ["de"])).toBe("en")
    expect(initialLanguage("klingon", ["zh"])).toBe("zh")
  })

  it("fills in parameters and leaves unknown ones visible", () => {
    expect(translate("en", "signIn.withProvider", { name: "Acme" })).toBe("Continue with Acme")
    expect(translate("zh", "signIn.withProvider")).toBe("使用 {name} 继续")
  })
})
