import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { chosenTheme, setTheme, startTheme, useTheme } from "./theme.ts"

const shown = () => document.documentElement.dataset["theme"]
const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")

beforeEach(() => localStorage.clear())

afterEach(() => {
  localStorage.clear()
  delete document.documentElement.dataset["theme"]
})

describe("the theme", () => {
  it("is the system's until somebody chooses", () => {
    startTheme()
    expect([chosenTheme(), shown()]).toEqual(["system", system()])
  })

  it.each(["dark", "light"] as const)(
    "is %s at once when chosen, and still after the page is opened again",
    (theme) => {
      setTheme(theme)
      expect(shown()).toBe(theme)
      delete document.documentElement.dataset["theme"]
      startTheme()
      expect([chosenTheme(), shown()]).toEqual([theme, theme])
    },
  )

  it("is light on paper, and what it was afterwards", () => {
    startTheme()
    setTheme("dark")
    dispatchEvent(new Event("beforeprint"))
    expect([chosenTheme(), shown()]).toEqual(["dark", "light"])
    dispatchEvent(new Event("afterprint"))
    expect(shown()).toBe("dark")
  })

  it("goes back to the system's", () => {
    setTheme("dark")
    setTheme("system")
    expect([chosenTheme(), shown()]).toEqual(["system", system()])
  })

  it("does not trust what lies in the browser", () => {
    localStorage.setItem("chorus.theme", "purple")
    startTheme()
    expect([chosenTheme(), shown()]).toEqual(["system", system()])
  })

  it("is told to whoever shows it", async () => {
    const screen = await render(<Chosen />)
    await expect.element(screen.getByText("system")).toBeVisible()
    setTheme("dark")
    await expect.element(screen.getByText("dark")).toBeVisible()
  })

  it("changes the colours of the page", () => {
    setTheme("light")
    const light = getComputedStyle(document.body).backgroundColor
    setTheme("dark")
    expect(getComputedStyle(document.body).backgroundColor).not.toBe(light)
  })
})

function Chosen() {
  return <p>{useTheme()}</p>
}
