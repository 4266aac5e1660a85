import { afterEach, describe, expect, it, vi } from "vitest"
import { render } from "vitest-browser-react"
import { say, setLanguage, startLanguage, useFormat, useLanguage, useText } from "./language.ts"

function Greeting() {
  const text = useText()
  return (
    <p lang={useLanguage()}>
      {text("nav.projects")} {text("settings.agents.someProjects", { count: 2 })}
    </p>
  )
}

function Since({ at }: { readonly at: string }) {
  return <p>{useFormat().ago(at)}</p>
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("changing the language", () => {
  // First of all: later the other language is here already.
  it("keeps to the last choice, however long the one before it takes to arrive", async () => {
    const first = setLanguage("zh")
    const second = setLanguage("en")
    await Promise.all([first, second])
    expect(say("nav.projects")).toBe("Projects")
    expect(document.documentElement.lang).toBe("en")
  })

  it("changes what is on show, what is said later, the page's own language and what the next visit finds", async () => {
    const screen = await render(<Greeting />)
    await expect.element(screen.getByText("Projects 2 projects")).toBeVisible()
    await setLanguage("zh")
    await expect.element(screen.getByText("项目 2 个项目")).toBeVisible()
    expect(say("nav.projects")).toBe("项目")
    expect(document.documentElement.lang).toBe("zh")
    expect(localStorage.getItem("chorus.language")).toBe("zh")
    await setLanguage("en")
    await expect.element(screen.getByText("Projects 2 projects")).toBeVisible()
    expect(document.documentElement.lang).toBe("en")
  })

  it("starts with what was kept", async () => {
    localStorage.setItem("chorus.language", "zh")
    await startLanguage()
    expect(say("action.save")).toBe("保存")
  })

  it("starts with what the browser prefers where nothing was kept", async () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["fr-CH", "zh-CN", "en"])
    await startLanguage()
    expect(document.documentElement.lang).toBe("zh")
  })
})

describe("what was a minute ago", () => {
  it("does not stay so while it is on show, in whatever language", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: Date.parse("2026-05-01T12:00:00Z") })
    const screen = await render(
      <>
        <Since at="2026-05-01T11:59:00Z" />
        <Since at="2026-05-01T11:00:30Z" />
      </>,
    )
    await expect.element(screen.getByText("1 min. ago")).toBeVisible()
    await expect.element(screen.getByText("59 min. ago")).toBeVisible()
    vi.advanceTimersByTime(60_000)
    await expect.element(screen.getByText("2 min. ago")).toBeVisible()
    await expect.element(screen.getByText("1 hr. ago")).toBeVisible()
    await setLanguage("zh")
    await expect.element(screen.getByText("2分钟前")).toBeVisible()
  })

  it("costs no clock once nobody looks", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const screen = await render(<Since at="2026-05-01T11:59:00Z" />)
    expect(vi.getTimerCount()).toBe(1)
    await screen.unmount()
    expect(vi.getTimerCount()).toBe(0)
  })
})
