import type { SurfaceItem } from "@chorus/contracts"
import { describe, expect, it, onTestFinished } from "vitest"
import { page } from "vitest/browser"
import { showRouted } from "../../test/stage.tsx"
import { Comparison, type Side } from "./Comparison.tsx"
import { SurfaceList, SurfaceSummary } from "./Surface.tsx"

const hook = (does: string): SurfaceItem => ({ kind: "hook", where: "Stop", does })
const side = (title: string, changes: Partial<Side> = {}): Side => ({
  title,
  version: "1.0.0",
  contentHash: "sha256-0123456789abcdef",
  surface: [],
  ...changes,
})

describe("two builds side by side", () => {
  it("stand line by line, what differs marked", async () => {
    const { screen } = await showRouted(
      <Comparison
        left={side("old", { surface: [hook("same"), { kind: "mcp", where: "db", does: "npx db" }] })}
        right={side("new", {
          surface: [
            hook("same"),
            { kind: "mcp", where: "db", does: "npx db2" },
            { kind: "connect", where: "y", does: "https://y" },
          ],
        })}
      />,
    )
    const rows = screen
      .getByRole("row")
      .elements()
      .map((row) => [...row.querySelectorAll("th,td")].map((cell) => cell.textContent))
    expect(rows.slice(1)).toEqual([
      ["HookStop", "same", "same"],
      ["MCP serverdbDiffers", "npx db", "npx db2"],
      ["ConnectionyOnly right", "–", "https://y"],
    ])
  })

  it("say added and removed where one takes the place of the other", async () => {
    const { screen } = await showRouted(
      <Comparison
        successive
        left={side("old", { surface: [hook("a")] })}
        right={side("new", { surface: [{ kind: "mcp", where: "db", does: "b" }] })}
      />,
    )
    await expect.element(screen.getByRole("row", { name: /MCP server/ })).toHaveTextContent("MCP serverdbAdded–b")
    await expect.element(screen.getByRole("row", { name: /Hook/ })).toHaveTextContent("HookStopRemoveda–")
  })

  it("say so when neither does anything, when one is unknown, and when not all is shown", async () => {
    const { screen } = await showRouted(
      <>
        <Comparison left={side("a")} right={side("b")} />
        <Comparison left={side("c")} right={side("d", { surface: undefined })} />
        <Comparison
          left={side("e", { unseen: 2 })}
          right={side("f", { unseen: 1, version: undefined, contentHash: undefined })}
        />
      </>,
    )
    await expect
      .element(screen.getByText("Both bring text only: nothing of them runs on a machine.").first())
      .toBeVisible()
    await expect.element(screen.getByText("What d 1.0.0 does is not known: no machine has its files.")).toBeVisible()
    await expect
      .element(screen.getByText("3 more lines are not shown. Look at the plugin on a machine before approving."))
      .toBeVisible()
    expect(screen.getByText("unknown").elements()).toHaveLength(2)
  })

  it("are both in view on a phone", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const { screen } = await showRouted(
      <Comparison
        left={side("old", { surface: [hook("a-rather-long-command --with=options")] })}
        right={side("new", { surface: [hook("another-rather-long-command --with=options")] })}
      />,
    )
    await expect.element(screen.getByText("another-rather-long-command --with=options")).toBeInViewport({ ratio: 1 })
    await expect
      .element(screen.getByText("a-rather-long-command --with=options", { exact: true }))
      .toBeInViewport({ ratio: 1 })
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  })
})

describe("what a plugin does", () => {
  it("is told in one line by what people weigh", async () => {
    const { screen } = await showRouted(
      <SurfaceSummary
        surface={[
          hook("a"),
          hook("b"),
          { kind: "download", where: "x", does: "y" },
          { kind: "setting", where: "x", does: "y" },
        ]}
      />,
    )
    await expect.element(screen.getByText("2 commands")).toBeVisible()
    await expect.element(screen.getByText("1 download")).toBeVisible()
    await expect.element(screen.getByText("1 permission")).toBeVisible()
    await expect.element(screen.getByText(/connection/)).not.toBeInTheDocument()
  })

  it("is not known, or nothing, where that is so", async () => {
    const { screen } = await showRouted(
      <>
        <SurfaceSummary surface={undefined} />
        <SurfaceSummary surface={[]} />
      </>,
    )
    await expect.element(screen.getByText("Not known yet")).toBeVisible()
    await expect.element(screen.getByText("Text only")).toBeVisible()
  })

  it("is listed word for word, markup as markup, and says what did not fit", async () => {
    const { screen } = await showRouted(
      <SurfaceList
        surface={[{ kind: "hook", where: "Stop", does: "echo '<img src=x onerror=alert(1)>'\n  second line" }]}
        unseen={1}
      />,
    )
    await expect.element(screen.getByText(/echo '<img src=x onerror=alert\(1\)>'/)).toBeVisible()
    await expect
      .element(screen.getByText("1 more line is not shown. Look at the plugin on a machine before approving."))
      .toBeVisible()
    expect(document.querySelector("img")).toBeNull()
  })
})
