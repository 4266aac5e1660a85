import { judgeSpend } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { reasonIn } from "./reason.ts"
import { writtenZh } from "./zh.ts"

const inChinese = (reason: string) => reasonIn(writtenZh, reason)

describe("a reason that a server or a machine gives", () => {
  it("is told in the reader's language with its parts, as the budgets word it", () => {
    const spent = { usd: 0, tokens: 0, turns: 4, minutes: 0 }
    const { over, warning } = judgeSpend([{ scope: "run", budget: { turns: 3 }, spent }])
    expect(inChinese(over ?? "")).toBe("超出预算：已用 4 轮，本次运行上限为 3 轮。")
    expect(inChinese(warning ?? "")).toBe("本次运行上限 3 轮，已用 133%。")
    expect(inChinese("Not started: Waits for desk, where the work lies.")).toBe("没有启动：在等成果所在的机器 desk。")
  })

  it.each([
    ["Its machine has been silent for too long.", "它的机器太久没有消息。"],
    ["Nothing has been heard from its machine since then.", "此后它的机器再没有消息。"],
    ["It made the same call 5 times in a row.", "它连续 5 次做了同样的调用。"],
    [
      "Not signed in. Sign in to the program on its machine, then tell it to go on.",
      "Not signed in。请在它的机器上登录该程序，再让它继续。",
    ],
    ["It ran longer than the 60 minutes this machine allows.", "它的运行时间超过了这台机器允许的 60 分钟。"],
  ])("is told in Chinese: %s", (reason, told) => {
    expect(inChinese(reason)).toBe(told)
  })

  it("is left to English readers as it was written", () => {
    expect(reasonIn(undefined, "Not started: Waits for desk.")).toBe("Not started: Waits for desk.")
  })

  it("keeps names and what nobody knows as they were written", () => {
    expect(inChinese("main is checked out in /shop with changes that are not committed: a.ts, b.ts.")).toBe(
      "main 在 /shop 中检出，有尚未提交的改动：a.ts, b.ts。",
    )
    expect(inChinese("Something else, entirely.")).toBe("Something else, entirely.")
  })
})
