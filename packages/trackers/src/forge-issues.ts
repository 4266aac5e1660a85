import type { imports } from "@chorus/contracts"
import { z } from "zod"
import { forgeOf } from "./fetch-tracker.ts"
import { readGithub, RepositoryComment } from "./github.ts"
import { readGitlab } from "./gitlab.ts"

type ForeignItem = imports.ForeignItem

/** Asks the API something below its address; what is not there is undefined. */
export type Ask = (method: "GET" | "POST" | "PATCH" | "PUT", path: string, body?: object) => Promise<unknown>

export type IssueChange = Partial<Pick<ForeignItem, "status" | "title" | "description">>

/** The issues of one repository, one at a time and both ways. */
export interface ForgeIssues {
  /** As it stands there, with its comments; undefined where there is none, or only a pull request. */
  read(key: string): Promise<ForeignItem | undefined>
  write(key: string, change: IssueChange): Promise<void>
  /** Answers with what the comment is called there. */
  comment(key: string, text: string): Promise<string>
  /** A text as it can be sent: nothing in it is an order to the forge. */
  harmless(text: string): string
}

export function forgeIssues(origin: string, ask: Ask): ForgeIssues {
  const found = forgeOf(origin)
  if (found === undefined) throw new TypeError(`${origin} names no forge`)
  return found.forge === "github" ? githubIssues(origin, found.project, ask) : gitlabIssues(origin, found.project, ask)
}

const Written = z.object({ id: z.coerce.string() })
const PAGE = 100
const MOST_PAGES = 5

function githubIssues(origin: string, project: string, ask: Ask): ForgeIssues {
  const issue = (key: string) => `/repos/${project}/issues/${Number(key)}`
  return {
    async read(key) {
      const there = await ask("GET", issue(key))
      if (there === undefined) return undefined
      const comments = await pages(ask, `${issue(key)}/comments?`)
      const said = comments.map((comment) => RepositoryComment.parse(comment))
      return readGithub([there], origin, said).items[0]
    },
    async write(key, { status, title, description }) {
      const state = status === "open" ? { state: "open" } : { state: "closed", state_reason: reasonOf(status) }
      await ask("PATCH", issue(key), {
        ...(status === undefined ? {} : state),
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { body: description ?? "" }),
      })
    },
    comment: async (key, body) => Written.parse(await ask("POST", `${issue(key)}/comments`, { body })).id,
    harmless: (text) => text,
  }
}

function reasonOf(status: IssueChange["status"]): string {
  return status === "done" ? "completed" : "not_planned"
}

function gitlabIssues(origin: string, project: string, ask: Ask): ForgeIssues {
  const issue = (key: string) => `/projects/${encodeURIComponent(project)}/issues/${Number(key)}`
  return {
    async read(key) {
      const there = await ask("GET", issue(key))
      if (there === undefined) return undefined
      const notes = await pages(ask, `${issue(key)}/notes?sort=asc&`)
      return readGitlab([{ ...z.looseObject({}).parse(there), notes }], origin).items[0]
    },
    async write(key, { status, title, description }) {
      await ask("PUT", issue(key), {
        ...(status === undefined ? {} : { state_event: status === "open" ? "reopen" : "close" }),
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description: description ?? "" }),
      })
    },
    comment: async (key, body) => Written.parse(await ask("POST", `${issue(key)}/notes`, { body })).id,
    // GitLab carries out a line such as "/close" with the rights of whoever sends it.
    harmless: (text) => text.replace(/^(\s*)\//gm, "$1\\/"),
  }
}

async function pages(ask: Ask, path: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const rows = z.array(z.unknown()).parse((await ask("GET", `${path}per_page=${PAGE}&page=${page}`)) ?? [])
    all.push(...rows)
    if (rows.length < PAGE) break
  }
  return all
}

const GithubHook = z.object({
  issue: z.object({ number: z.number().int(), pull_request: z.unknown().optional() }),
  repository: z.object({ full_name: z.string() }),
})
const GitlabHook = z.object({
  object_kind: z.enum(["issue", "note"]),
  object_attributes: z.object({ iid: z.number().int().optional() }),
  issue: z.object({ iid: z.number().int() }).optional(),
  project: z.object({ path_with_namespace: z.string() }),
})

/** Which issue of this repository a forge's webhook tells of; undefined where it is about something else. */
export function issueTold(origin: string, body: unknown): string | undefined {
  const found = forgeOf(origin)
  const github = GithubHook.safeParse(body)
  if (found?.forge === "github" && github.success) {
    const { issue, repository } = github.data
    return isSame(repository.full_name, found.project) && issue.pull_request === undefined
      ? String(issue.number)
      : undefined
  }
  const gitlab = GitlabHook.safeParse(body)
  if (found?.forge !== "gitlab" || !gitlab.success) return undefined
  const { object_kind, object_attributes, issue, project } = gitlab.data
  const { iid } = object_kind === "issue" ? object_attributes : (issue ?? {})
  return iid !== undefined && isSame(project.path_with_namespace, found.project) ? String(iid) : undefined
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
