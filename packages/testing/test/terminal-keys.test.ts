import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { isRunning, openTerminal, type Terminal, waitFor } from "@chorus/testing"

const env = { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color" }
const PATIENCE = 60_000

async function open(script: string, size: { columns?: number; rows?: number } = {}): Promise<Terminal> {
  const terminal = await openTerminal({ command: "sh", args: ["-c", script], env, cwd: process.cwd(), ...size })
  onTestFinished(terminal.stop)
  return terminal
}

describe("what is typed into a terminal", () => {
  /** Shows each line it is given between brackets, so that nothing that is lost or added goes unseen. */
  let mirror: Terminal
  beforeAll(async () => {
    mirror = await openTerminal({
      command: "sh",
      args: ["-c", 'stty -echo; echo ready; while IFS= read -r line; do printf "<%s>\\n" "$line"; done'],
      env,
      cwd: process.cwd(),
    })
    await mirror.waitForText(/ready/, PATIENCE)
  })
  afterAll(() => mirror.stop())

  test.each([
    ["a semicolon at the end", "a;"],
    ["two semicolons", "b;;"],
    ["quotes of both kinds", `c "d" 'e'`],
    ["what a shell would fill in", "$HOME `id` $(id) *"],
    ["what looks like an option", "-l --help"],
    ["what looks like a key", "C-c Enter Escape"],
    ["every script", "дверь 門 é"],
    ["backslashes", "f\\n\\\\g"],
  ])("arrives as it is: %s", async (_, text) => {
    await mirror.type(text)
    await mirror.key("Enter")
    expect(await mirror.waitForText(new RegExp(`<${escaped(text)}>`), PATIENCE)).toContain(`<${text}>`)
  })

  test("may be keys by their names", async () => {
    await mirror.type("abx")
    await mirror.key("BSpace", "c", "Enter")
    await mirror.waitForText(/<abc>/, PATIENCE)
  })
})

describe("a line that is submitted", () => {
  /** Reads keys as agent programs do, an Escape and the letter after it as one key; and only while it listens, which each signal changes. */
  const AGENT = `
    process.stdin.setRawMode(true)
    let line = ""
    const show = () => process.stdout.write("\\x1b[2K\\r> " + line)
    const read = (keys) => {
      for (const [key] of String(keys).matchAll(/\\x1b.?|[^]/g)) {
        if (key === "\\r") { process.stdout.write("\\r\\nheard <" + line.trim() + ">\\r\\n"); line = "" }
        else if (key[0] !== "\\x1b") line += key
      }
      show()
    }
    process.on("SIGUSR1", () => {
      const listens = process.stdin.listenerCount("data") > 0
      listens ? process.stdin.off("data", read).pause() : process.stdin.on("data", read).resume()
      process.stdout.write("\\x1b]2;" + (listens ? "deaf" : "listens") + "\\x07")
    })
    setInterval(() => {}, 60_000)
    show()`
  const agent = async (): Promise<Terminal> => {
    const terminal = await openTerminal({ command: process.execPath, args: ["-e", AGENT], env, cwd: process.cwd() })
    onTestFinished(terminal.stop)
    await terminal.waitForText(/>/, PATIENCE)
    return terminal
  }
  const turn = async (terminal: Terminal, state: "listens" | "deaf"): Promise<void> => {
    for (const { pid } of await terminal.panes()) process.kill(pid, "SIGUSR1")
    await waitFor(async () => (await terminal.panes())[0]?.title === state, PATIENCE, state)
  }
  // Nothing shows that keys wait unread; with too little time for them to get there, a test shows less and does not fail.
  const aWhile = () => new Promise((later) => setTimeout(later, 1500, "waits"))

  test("is whole, though an Escape before it was not read yet", async () => {
    const terminal = await agent()
    await terminal.key("Escape")
    const submitted = terminal.submit("think for ever")
    await aWhile()
    await turn(terminal, "listens")
    await submitted
    await terminal.waitForText(/heard <think for ever>/, PATIENCE)
  })

  test("is waited for, though one that ends alike is on the screen", async () => {
    const terminal = await agent()
    await turn(terminal, "listens")
    await terminal.submit("one line that ends as the other one does")
    await terminal.waitForText(/heard <one line/, PATIENCE)
    await turn(terminal, "deaf")
    const second = terminal.submit("another line that ends as the other one does")
    expect(await Promise.race([second.then(() => "sent"), aWhile()])).toBe("waits")
    await turn(terminal, "listens")
    await second
    await terminal.waitForText(/heard <another line/, PATIENCE)
  })
})

describe("the screen", () => {
  test("has no blanks at the ends of lines and no empty lines below", async () => {
    const terminal = await open('printf "one   \\n\\n  two\\t\\n\\n\\n"; sleep 300')
    expect(await terminal.waitForText(/two/, PATIENCE)).toBe("one\n\n  two")
  })

  test("shows what fits, while everything is kept raw", async () => {
    const terminal = await open("for n in $(seq 1 40); do echo line $n; done; sleep 300", { rows: 10, columns: 40 })
    const shown = await terminal.waitForText(/line 40/, PATIENCE)
    expect(shown).not.toContain("line 5\n")
    await waitFor(() => terminal.raw().includes("line 40"), PATIENCE, "the raw log to be whole")
    expect(terminal.raw()).toContain("line 5\r\n")
  })

  test("stays as a program left it that has ended", async () => {
    const terminal = await open("echo last words; exit 4")
    expect(await terminal.waitForExit(PATIENCE)).toBe(4)
    await terminal.waitForText(/last words/, PATIENCE)
  })
})

describe("a pane", () => {
  test("has the title that its program gives it, its process, and no exit while it runs", async () => {
    const terminal = await open('printf "\\033]2;a title of several words\\007"; echo ready; sleep 300')
    await terminal.waitForText(/ready/, PATIENCE)
    const pane = await waitFor(
      async () => (await terminal.panes()).find(({ title }) => title.startsWith("a title")),
      PATIENCE,
      "the title",
    )
    expect(pane).toMatchObject({ title: "a title of several words", exit: undefined })
    expect(isRunning(pane.pid)).toBe(true)
  })

  test("says by what number its program ended", async () => {
    const terminal = await open("exit 9")
    await terminal.waitForExit(PATIENCE)
    expect((await terminal.panes()).map(({ exit }) => exit)).toEqual([9])
  })
})

describe("a terminal", () => {
  test("has a socket of its own, so that two do not meet", async () => {
    const [one, other] = await Promise.all([open("echo one; sleep 300"), open("echo other; sleep 300")])
    expect(one.socket).not.toBe(other.socket)
    await Promise.all([one.waitForText(/^one$/m, PATIENCE), other.waitForText(/^other$/m, PATIENCE)])
  })

  test("may be stopped twice", async () => {
    const terminal = await open("sleep 300")
    await terminal.stop()
    await terminal.stop()
    await expect(terminal.screen()).rejects.toThrow()
  })

  test("of a program that is not there shows its failure", async () => {
    const terminal = await openTerminal({ command: "no-such-program-of-ours", env, cwd: process.cwd() })
    onTestFinished(terminal.stop)
    expect(await terminal.waitForExit(PATIENCE)).toBe(127)
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
