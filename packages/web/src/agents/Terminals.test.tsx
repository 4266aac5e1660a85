import { afterEach, describe, expect, it, vi } from "vitest"
import { openMachine, terminal } from "../../test/machine-room.ts"
import { showRouted } from "../../test/stage.tsx"
import { Terminals } from "./Terminals.tsx"

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`

afterEach(() => vi.restoreAllMocks())

describe("terminals", () => {
  it("tell what each does, where and for whom", async () => {
    const title = unique("Address form")
    const { machine, agent, tell } = await openMachine()
    await tell({ terminals: [terminal("t1", { title, detail: "Edit address.tsx", summary: "not this" })] })
    const { screen } = await showRouted(<Terminals />)
    const row = screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("Edit address.tsx")).toBeVisible()
    await expect.element(row.getByText("not this")).not.toBeInTheDocument()
    await expect.element(row.getByText(`claude on ${machine} · ${agent.name}`)).toBeVisible()
    await expect.element(row.getByText("Running")).toBeVisible()
    await expect.element(row.getByText("5 min", { exact: true })).toBeVisible()
  })

  it("say what is new, what nobody started through Chorus, and lead there", async () => {
    const title = unique("Outside")
    const { tell } = await openMachine()
    await tell({ terminals: [terminal("t9", { title, outside: true, unread: true, state: "finished", exitCode: 0 })] })
    const { screen } = await showRouted(<Terminals />)
    const row = screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("New", { exact: true })).toBeVisible()
    await expect.element(row.getByText(/not started through Chorus$/)).toBeVisible()
    await row.getByRole("button", { name: "Show it on its machine" }).click()
    await expect.element(screen.getByText("Asked its machine to show it.")).toBeVisible()
  })

  it("are no longer new once somebody says so, and are not shown where they have ended", async () => {
    const title = unique("Crashed")
    const { tell } = await openMachine()
    const crashed = { state: "finished", exitCode: 1, ended: true, unread: true, reason: "killed by SIGKILL" } as const
    await tell({ terminals: [terminal("gone", { title, ...crashed })] })
    const { screen } = await showRouted(<Terminals />)
    const row = screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("New", { exact: true })).toBeVisible()
    await expect.element(row.getByRole("button", { name: "Show it on its machine" })).not.toBeInTheDocument()
    await row.getByRole("button", { name: "Mark as seen" }).click()
    await expect.element(row.getByText("New", { exact: true })).not.toBeInTheDocument()
    await expect.element(row.getByRole("button", { name: "Mark as seen" })).not.toBeInTheDocument()
  })

  it("put who needs somebody first and follow every change", async () => {
    const mark = unique("")
    const { tell } = await openMachine()
    const [asks, runs, idles, done] = ["asks", "runs", "idles", "done"].map((name) => `${name}${mark}`)
    await tell({
      terminals: [
        terminal("done", { title: done ?? "", state: "finished", exitCode: 0 }),
        terminal("idles", { title: idles ?? "", state: "idle" }),
        terminal("runs", { title: runs ?? "" }),
        terminal("asks", { title: asks ?? "", state: "needsInput" }),
      ],
    })
    const { screen } = await showRouted(<Terminals />)
    const order = () =>
      screen
        .getByRole("listitem")
        .elements()
        .map((row) => row.textContent)
        .filter((text) => text.includes(mark))
        .map((text) => text.split(mark)[0])
    await expect.poll(order).toEqual(["asks", "runs", "idles", "done"])
    await tell({
      terminals: [
        terminal("idles", { title: idles ?? "", state: "needsInput", since: Date.now() }),
        terminal("asks", { title: asks ?? "" }),
      ],
    })
    await expect.poll(order).toEqual(["idles", "asks", "runs", "done"])
    await tell({ goneTerminals: ["done"] })
    await expect.poll(order).not.toContain("done")
  })

  it("tell a program that failed from one that finished", async () => {
    const [good, bad] = [unique("good"), unique("bad")]
    const { tell } = await openMachine()
    await tell({
      terminals: [
        terminal("good", { title: good, state: "finished", exitCode: 0 }),
        terminal("bad", {
          title: bad,
          state: "finished",
          exitCode: 3,
          summary: "All is well.",
          reason: "a tool failed",
        }),
      ],
    })
    const { screen } = await showRouted(<Terminals />)
    await expect.element(screen.getByRole("listitem").filter({ hasText: good }).getByText("Finished")).toBeVisible()
    await expect.element(screen.getByRole("listitem").filter({ hasText: bad }).getByText("Failed")).toBeVisible()
    await expect.element(screen.getByRole("listitem").filter({ hasText: bad }).getByText("a tool failed")).toBeVisible()
    await expect
      .element(screen.getByRole("listitem").filter({ hasText: bad }).getByText("Finished"))
      .not.toBeInTheDocument()
  })

  it("tell a program that has ended, and one that nobody can vouch for, from one that works well", async () => {
    const [over, failed, lost] = [unique("over"), unique("crashed"), unique("lost")]
    const { tell } = await openMachine()
    const finished = { state: "finished", exitCode: 0, ended: true } as const
    const reason = "Nothing has been heard from its machine since then."
    await tell({
      terminals: [
        terminal("over", { title: over, ...finished, summary: "All is well." }),
        terminal("failed", { title: failed, ...finished, exitCode: 137, reason: "killed by SIGKILL" }),
        terminal("lost", {
          title: lost,
          state: "unknown",
          detail: "Edit address.tsx",
          reason,
          source: "server:silence",
        }),
      ],
    })
    const { screen } = await showRouted(<Terminals />)
    const row = (title: string) => screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row(over).getByText("Ended")).toBeVisible()
    await expect.element(row(over).getByText("Finished")).not.toBeInTheDocument()
    await expect.element(row(failed).getByText("Failed")).toBeVisible()
    await expect.element(row(lost).getByText("Unknown")).toBeVisible()
    await expect.element(row(lost).getByText(reason)).toBeVisible()
    await expect.element(row(lost).getByText("5 min", { exact: true })).toBeVisible()
    await expect.element(row(lost).getByTitle("Said by server:silence")).toHaveTextContent("5 min")
    const colourOf = (title: string, label: string) => getComputedStyle(row(title).getByText(label).element()).color
    expect(colourOf(over, "Ended")).toBe(colourOf(lost, "Unknown"))
    expect(colourOf(over, "Ended")).not.toBe(colourOf(failed, "Failed"))
  })

  it("say of one that was killed between turns what ended it, as the list on its machine does", async () => {
    const title = unique("Killed")
    const { tell } = await openMachine()
    const killed = { state: "idle", ended: true, summary: "Noted.", reason: "killed by SIGHUP" } as const
    await tell({ terminals: [terminal("killed", { title, ...killed })] })
    const { screen } = await showRouted(<Terminals />)
    const row = screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("killed by SIGHUP")).toBeVisible()
    await expect.element(row.getByText("Noted.")).not.toBeInTheDocument()
  })

  it("give the command that resumes one, and say when it could not be copied", async () => {
    const title = unique("Resume me")
    const { tell } = await openMachine()
    await tell({
      terminals: [terminal("t1", { title, state: "finished", exitCode: 0, resumeCommand: "claude --resume abc" })],
    })
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue()
    const { screen } = await showRouted(<Terminals />)
    const copy = screen
      .getByRole("listitem")
      .filter({ hasText: title })
      .getByRole("button", { name: "Copy the command to resume it" })
    await copy.click()
    await expect.element(screen.getByText("Copied")).toBeVisible()
    expect(write).toHaveBeenCalledWith("claude --resume abc")
    write.mockRejectedValue(new DOMException("no", "NotAllowedError"))
    vi.spyOn(document, "execCommand").mockReturnValue(false)
    await copy.click()
    await expect.element(screen.getByText("This could not be copied. Select it and copy it by hand.")).toBeVisible()
  })

  it("have a name also where the program gave none", async () => {
    const { machine, tell } = await openMachine()
    await tell({ terminals: [terminal("t1", { title: null, reason: "Nobody knows" })] })
    const { screen } = await showRouted(<Terminals />)
    const row = screen.getByRole("listitem").filter({ hasText: machine })
    await expect.element(row.getByText("Untitled")).toBeVisible()
    await expect.element(row.getByText("Nobody knows")).toBeVisible()
  })
})
