import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { z } from "zod"
import { type MarkdownFile, readBacklog } from "./backlog-md.ts"
import { isBeads, readBeads } from "./beads.ts"
import { csvHeader, csvRows } from "./csv-rows.ts"
import type { ForeignList } from "./foreign-item.ts"
import { isGithub, readGithub } from "./github.ts"
import { isGitlab, readGitlab, readGitlabCsv } from "./gitlab.ts"
import { isJira, readJira } from "./jira.ts"
import { isLinear, readLinear } from "./linear.ts"
import { isTaskMaster, readTaskMaster } from "./task-master.ts"
import { isVibeKanban, readVibeKanban } from "./vibe-kanban.ts"

const LARGEST_FILE = 256 * 1024 * 1024

/**
 * What is in a file that a tracker wrote, or in a repository that a tracker keeps its tasks in; told by what it looks
 * like.
 */
export function readTracker(path: string): ForeignList {
  try {
    return recognised(path)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const [issue] = error.issues
    const [entry, ...field] = issue?.path ?? []
    const where = typeof entry === "number" ? `${field.join(".")} of entry ${entry + 1}` : [entry, ...field].join(".")
    throw unreadable(`Something in it is not as expected: ${where}: ${issue?.message ?? ""}.`, path)
  }
}

function recognised(path: string): ForeignList {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw unreadable("There is no file or folder of that name.", path)
  if (stat.isDirectory()) return readFolder(path)
  if (stat.size > LARGEST_FILE) throw unreadable("The file is larger than 256 MB.", path)
  const text = readFileSync(path, "utf8")
  if (path.endsWith(".jsonl")) return readLines(path, text)
  return path.endsWith(".csv") ? readCsv(path, text) : readJson(path, text)
}

function readFolder(path: string): ForeignList {
  const beads = [join(path, ".beads"), path]
    .flatMap((folder) => [join(folder, "issues.jsonl"), join(folder, "beads.jsonl")])
    .find((file) => existsSync(file))
  if (beads !== undefined) return recognised(beads)
  const taskMaster = [join(path, ".taskmaster", "tasks", "tasks.json"), join(path, "tasks", "tasks.json")].find(
    (file) => existsSync(file),
  )
  if (taskMaster !== undefined) return recognised(taskMaster)
  const backlog = [join(path, "backlog"), path].find((folder) => existsSync(join(folder, "tasks")))
  if (backlog !== undefined) return named(readBacklog(markdownIn(backlog)), "backlog-md:tasks", join(path, "tasks"))
  throw unreadable("The folder has no .beads, .taskmaster or backlog in it.", path)
}

function markdownIn(backlog: string): MarkdownFile[] {
  const shelves = [
    ["tasks", join(backlog, "tasks")],
    ["completed", join(backlog, "completed")],
    ["archive", join(backlog, "archive", "tasks")],
  ] as const
  return shelves.flatMap(([shelf, folder]) =>
    filesIn(folder).map(({ name }) => ({ shelf, name, text: readFileSync(join(folder, name), "utf8") })),
  )
}

function filesIn(folder: string): Dirent[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }))
}

function readLines(path: string, text: string): ForeignList {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => parsed(path, line))
  if (!isBeads(lines[0])) throw unreadable("Its lines are not issues of Beads.", path)
  return named(readBeads(lines), "beads:issues", path)
}

function readCsv(path: string, text: string): ForeignList {
  const header = csvHeader(text)
  if (isLinear(header)) return readLinear(csvRows(text))
  if (isJira(header)) return readJira(csvRows(text))
  if (header.includes("Title") && header.includes("State")) return readGitlabCsv(csvRows(text))
  throw unreadable("Its columns are not those of Linear, Jira or GitLab.", path)
}

function readJson(path: string, text: string): ForeignList {
  const given = parsed(path, text)
  if (isGithub(given)) return readGithub(given)
  if (isGitlab(given)) return readGitlab(given)
  if (isVibeKanban(given)) return readVibeKanban(given)
  if (isTaskMaster(given)) return named(readTaskMaster(given), "task-master:tasks", path)
  throw unreadable("It is none of the lists that Chorus knows.", path)
}

/** A list that does not say whose it is bears the name of the folder it was found in. */
function named(list: ForeignList, nameless: string, path: string): ForeignList {
  if (list.origin !== nameless) return list
  const folders = dirname(resolve(path))
    .split("/")
    .filter((name) => !["tasks", ".taskmaster", ".beads", "backlog"].includes(name))
  return { ...list, origin: `${nameless.split(":")[0] ?? ""}:${basename(folders.join("/")) || "tasks"}` }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable("It is no valid JSON.", path)
  }
}

function unreadable(message: string, path: string): ChorusError {
  return new ChorusError("unknown_tracker", `${message} (${path})`, {
    next: "docs/import.md lists what Chorus reads and how to make such a file.",
    details: { path },
  })
}
