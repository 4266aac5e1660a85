import { execFileSync } from "node:child_process"
import { findShell, temporaryDirectory } from "@chorus/testing"
import { expect, test } from "vitest"
import { chorus } from "./chorus-process.ts"

test("bash completes nouns, sub-commands, options, their values and operations", async () => {
  const { stdout: script } = await chorus(["completion", "bash"])
  const complete = (...words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _chorus; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        "chorus",
        ...words,
      ],
      { encoding: "utf8" },
    )
      .trim()
      .split("\n")
  expect(complete("pro")).toEqual(["project"])
  expect(complete("agent", "")).toEqual(expect.arrayContaining(["add", "list", "key", "archive"]))
  expect(complete("agent", "add", "bob", "--pre")).toEqual(["--preset"])
  expect(complete("call", "chorus_whoa")).toEqual(["chorus_whoami"])
  expect(complete("completion", "z")).toEqual(["zsh"])
  expect(complete("team", "spawn", "rose", "--program", "")).toEqual(["claude", "codex", "opencode", "command"])
  expect(complete("team", "spawn", "rose", "--program", "codex", "--mode", "acc")).toEqual(["acceptEdits"])
  expect(complete("team", "tasks", "set", "1", "--status", "in")).toEqual(["in_progress"])
})

test("fish completes what follows the words so far, and not what stood beside them", async () => {
  const home = temporaryDirectory()
  const { stdout: script } = await chorus(["completion", "fish"])
  const fish = await findShell("fish")
  const complete = (line: string) =>
    execFileSync(fish, ["-c", `${script}\ncomplete -C $argv[1]`, line], {
      encoding: "utf8",
      cwd: home.path,
      env: { ...process.env, HOME: home.path },
    })
      .trim()
      .split("\n")
      .map((found) => found.split("\t")[0])
  expect(complete("chorus pro")).toEqual(["project"])
  expect(complete("chorus agent ")).toEqual(expect.arrayContaining(["add", "archive", "key", "list"]))
  expect(complete("chorus agent list ")).not.toContain("add")
  expect(complete("chorus agent add bob --pre")).toEqual(["--preset"])
  expect(complete("chorus plugin marketplace list --")).not.toContain("--available")
  expect(complete("chorus call chorus_whoa")).toEqual(["chorus_whoami"])
  expect(complete("chorus team spawn rose --mode acc")).toEqual(["acceptEdits"])
  await home.remove()
})

test("zsh reads its script without a complaint", async () => {
  const home = temporaryDirectory()
  const { stdout: script } = await chorus(["completion", "zsh"])
  const zsh = await findShell("zsh")
  const shown = execFileSync(
    zsh,
    ["-f", "-c", `autoload -Uz compinit && compinit -D\n${script}\nprint -r -- $_comps[chorus]`],
    { encoding: "utf8", env: { ...process.env, HOME: home.path } },
  )
  expect(shown.trim()).toBe("_chorus")
  await home.remove()
})

test("a shell that is not known is refused with those that are", async () => {
  const refused = await chorus(["completion", "powershell"])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/bash, zsh, fish/)
})
