import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const PACKAGES = join(import.meta.dirname, "..", "..", "packages")

/** Places that hand a shell a string, each with the reason why nothing of an agent's can be in it. */
const KNOWN: Record<string, string> = {
  "plugins/src/translate/hook-runner.ts":
    "A hook is a shell's command by its format; who installed the plugin was shown it.",
  "runs/src/run-checks.ts": "A check is what a person approved word by word; nobody adds to it.",
  "status/src/launch/reported-run.ts":
    "The script is a constant; the signal's number comes after it as a word of its own.",
  "teams/src/backends/tmux.ts": "The script is a constant; what varies comes after it as words of its own.",
}

it("no room hands a string to a shell: programs are started with lists of words", () => {
  const found = readdirSync(PACKAGES)
    // The page runs where there is no shell.
    .filter((room) => room !== "testing" && room !== "web")
    .flatMap((room) => sourcesBelow(join(PACKAGES, room, "src")))
    .flatMap((file) =>
      shellStrings(readFileSync(file, "utf8")).map((line) => `${file.slice(PACKAGES.length + 1)}: ${line}`),
    )
    .filter((place) => KNOWN[place.split(":")[0] ?? ""] === undefined)
  expect(found).toEqual([])
})

it("and would be found out if it did", () => {
  expect(shellStrings('import { exec } from "node:child_process"\nexec(`ls ${name}`)')).toHaveLength(2)
  expect(shellStrings("spawn(command, { shell: true })")).toHaveLength(1)
  expect(shellStrings('spawn("sh", ["-c", text])')).toHaveLength(1)
  expect(shellStrings('execFile("git", ["status"])\npattern.exec(text)')).toEqual([])
})

function shellStrings(text: string): string[] {
  const imports = /import \{[^}]*\b(exec|execSync)\b[^}]*\} from "node:child_process"/
  const lines = text.split("\n")
  const takesExec = imports.test(text)
  return lines.filter(
    (line) =>
      imports.test(line) ||
      /\bshell: (true|")/.test(line) ||
      /"(?:ba|z|da)?sh", \[?"-l?c"/.test(line) ||
      (takesExec && /(?<![.\w])exec(Sync)?\(/.test(line)),
  )
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
