import { describe, expect, it } from "vitest"
import { jump, jumpCommands } from "./jump.ts"

const argvOf = (env: Record<string, string>, folder: string | null = null) =>
  jumpCommands(env, folder).map(({ argv }) => argv.join(" "))

describe("to show a terminal", () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      "tmux is told its window, its pane and whoever looks",
      { TMUX: "/tmp/tmux-0/work,77,0", TMUX_PANE: "%3", KITTY_WINDOW_ID: "1", KITTY_LISTEN_ON: "unix:/k" },
      ["select-window", "select-pane", "switch-client"].map((word) => `tmux -S /tmp/tmux-0/work ${word} -t %3`),
    ],
    [
      "kitty is asked over its own socket",
      { KITTY_WINDOW_ID: "12", KITTY_LISTEN_ON: "unix:/k" },
      ["kitty @ --to unix:/k focus-window --match id:12"],
    ],
    ["WezTerm by its pane", { WEZTERM_PANE: "4" }, ["wezterm cli activate-pane --pane-id 4"]],
    ["nobody where kitty takes no orders", { KITTY_WINDOW_ID: "12" }, []],
    ["nobody where tmux's pane is no pane", { TMUX: "/t,1,0", TMUX_PANE: "; rm" }, []],
    ["nobody where the program is unknown", { TERM: "xterm" }, []],
  ])("%s", (_, env, commands) => expect(argvOf(env)).toEqual(commands))

  it("gives WezTerm its server, iTerm the session's id as an argument, and VS Code the folder", () => {
    expect(jumpCommands({ WEZTERM_PANE: "4", WEZTERM_UNIX_SOCKET: "/w" }, null)[0]?.env).toEqual({
      WEZTERM_UNIX_SOCKET: "/w",
    })
    expect(jumpCommands({ ITERM_SESSION_ID: "w0t1p0:ABC" }, null)[0]?.argv.slice(-2)).toEqual(["--", "ABC"])
    expect(argvOf({ TERM_PROGRAM: "vscode" }, "/shop")).toEqual(["code --reuse-window /shop"])
  })

  it("is refused with what to do where it cannot be done", async () => {
    await expect(jump(null, null)).rejects.toMatchObject({ code: "cannot_jump", status: 409 })
  })
})
