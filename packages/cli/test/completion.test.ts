import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { chorus } from "./chorus-process.ts"

test("bash completes nouns, sub-commands, options and operations", async () => {
  const { stdout: script } = await chorus(["completion", "bash"])
  const complete = (...words: string[]) =>
    execFileSync("bash", ["-c", `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _chorus; printf '%s\\n' "\${COMPREPLY[@]}"`, "bash", "chorus", ...words], { encoding: "utf8" })
      .trim()
      .split("\n")
  expect(complete("pro")).toEqual(["project"])
  expect(complete("agent", "")).toEqual(expect.arrayContaining(["add", "list", "key", "archive"]))
  expect(complete("agent", "add", "bob", "--pre")).toEqual(["--preset"])
  expect(complete("call", "chorus_whoa")).toEqual(["chorus_whoami"])
  expect(complete("completion", "z")).toEqual(["zsh"])
})

test("a shell that is not known is refused with those that are", async () => {
  const refused = await chorus(["completion", "powershell"])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/bash, zsh, fish/)
})
