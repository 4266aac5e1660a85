import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { browserName } from "./browser-name.ts"

describe("the name of a browser", () => {
  it.each([
    ["Firefox · Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
    [
      "Firefox · iPhone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15",
    ],
    [
      "Edge · Windows",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
    ],
    [
      "Edge · Android",
      "Mozilla/5.0 (Linux; Android 10; HD1913) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36 EdgA/140.0",
    ],
    [
      "Opera · macOS",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 OPR/120.0",
    ],
    [
      "Chrome · Android",
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
    ],
    [
      "Chrome · iPad",
      "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
    ],
    [
      "Chrome · ChromeOS",
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
    ],
    [
      "Chrome · Linux",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36",
    ],
    [
      "Safari · iPhone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile Safari/604.1",
    ],
    [
      "Safari · macOS",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
    ],
    ["Linux", "Something/1.0 (Linux)"],
    [undefined, "curl/8"],
    [undefined, ""],
    [undefined, null],
  ])("is %s for %s", (name, userAgent) => {
    expect(browserName(userAgent)).toBe(name)
  })

  it("says nothing of what somebody else wrote there", () => {
    const known = /^(?:(Edge|Opera|Firefox|Chrome|Safari)( · )?)?(iPhone|iPad|Android|ChromeOS|macOS|Windows|Linux)?$/
    fc.assert(fc.property(fc.string(), (userAgent) => known.test(browserName(userAgent) ?? "")))
  })
})
