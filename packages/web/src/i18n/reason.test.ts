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
