import { describe, expect, it } from "vitest"
import { tabIn, tabName, terminalIdFrom } from "./terminal-identity.ts"

const HERE = { device: "pts/3", began: "k2f" }

describe("a terminal's name", () => {
  it.each([
    [{}, "pts-3-k2f"],
    [{ TMUX_PANE: "%5", TMUX: "/tmp/tmux-0/default,88,0" }, "tmux-5-pts-3-k2f"],
    [{ ITERM_SESSION_ID: "w0t1p0:ABC" }, "iterm-w0t1p0ABC-pts-3-k2f"],
    [{ CHORUS_TERMINAL_ID: "mine" }, "mine"],
    [{ CHORUS_TERMINAL_ID: "" }, "pts-3-k2f"],
  ])("of %j is %s", (env, expected) => {
    expect(terminalIdFrom(env, HERE, 7)).toBe(expected)
  })

  it("is the process's where there is no terminal", () => {
    expect(terminalIdFrom({ TMUX_PANE: "%5" }, undefined, 7)).toBe("process-7")
  })

  it("of an agent started by an agent is its own, in the same terminal and without one", () => {
    const inherited = { CHORUS_TERMINAL_ID: "outer", CHORUS_AGENT: "claude", CHORUS_TERMINAL: "pts-3-k2f" }
    expect(terminalIdFrom(inherited, HERE, 7)).toBe("outer/7")
    expect(terminalIdFrom(inherited, undefined, 7)).toBe("outer/7")
  })

  it("is not handed down into a terminal that an agent opened", () => {
    const inherited = { CHORUS_TERMINAL_ID: "outer", CHORUS_AGENT: "claude", CHORUS_TERMINAL: "pts-1-aa" }
    expect(terminalIdFrom(inherited, HERE, 7)).toBe("pts-3-k2f")
  })
})

describe("a tab's name", () => {
  it("tells the panes of two tmux servers apart", () => {
    expect(tabIn({ TMUX_PANE: "%0", TMUX: "/tmp/tmux-0/default,1,0" })).toBe("tmux-0")
    expect(tabIn({ TMUX_PANE: "%0", TMUX: "/tmp/tmux-0/work,2,0" })).toBe("tmux-work-0")
    expect(tabIn({})).toBeUndefined()
  })

  it.each([
    [{ ITERM_SESSION_ID: "w0t1p0:ABC" }, "iterm-w0t1p0ABC"],
    [{ TERM_SESSION_ID: "ABC-DEF" }, "term-ABC-DEF"],
    [{ KITTY_WINDOW_ID: "1", KITTY_PID: "7" }, undefined],
    [{ WEZTERM_PANE: "0", WEZTERM_UNIX_SOCKET: "/tmp/w" }, undefined],
    [{ WINDOWID: "41943055" }, undefined],
    [{ TMUX_PANE: "%0", TMUX: "/nowhere/default,1,0" }, undefined],
    [{}, undefined],
  ])("that outlives a restart is, with %j, %s", async (env, expected) => {
    expect(await tabName(env)).toBe(expected)
  })
})
