import { ChorusError } from "@chorus/contracts"
import { z } from "zod"
import type { ForeignList } from "./foreign-item.ts"
import { readGithub, RepositoryComment } from "./github.ts"
import { readGitlab } from "./gitlab.ts"

const PAGE = 100
const MOST_PAGES = 500
const WAIT_MS = 30_000

export interface Access {
  /** Where the API is, for servers of one's own. */
  readonly api?: string | undefined
  readonly token?: string | undefined
}

const FORGES = {
  github: { api: "https://api.github.com", list: githubList },
  gitlab: { api: "https://gitlab.com/api/v4", list: gitlabList },
} as const

/** `github:octo/shop`, `gitlab:group/shop` */
export function forgeOf(source: string): { forge: keyof typeof FORGES; project: string; api: string } | undefined {
  const [, forge, project] = /^(github|gitlab):(\w[\w.-]*(?:\/\w[\w.-]*)+)$/.exec(source) ?? []
  if (project === undefined || (forge !== "github" && forge !== "gitlab")) return undefined
  return { forge, project, api: FORGES[forge].api }
}

/** The issues and comments of a project, asked of its forge page by page. */
export async function fetchTracker(source: string, { api, token }: Access = {}): Promise<ForeignList> {
  const found = forgeOf(source)
  if (found === undefined)
    throw new ChorusError("unknown_tracker", `${source} is neither github:OWNER/NAME nor gitlab:GROUP/NAME.`, {
      next: "Name the repository so, or give the file that the tracker exported.",
    })
  const { list } = FORGES[found.forge]
  return list(source, found.project, pagesOf((api ?? found.api).replace(/\/+$/, ""), token))
}

type Pages = (path: string) => Promise<unknown[]>

async function githubList(origin: string, project: string, pages: Pages): Promise<ForeignList> {
  const issues = await pages(`/repos/${project}/issues?state=all`)
  const comments = await pages(`/repos/${project}/issues/comments?sort=created`)
  return readGithub(
    issues,
    origin,
    comments.map((comment) => RepositoryComment.parse(comment)),
  )
}

async function gitlabList(origin: string, project: string, pages: Pages): Promise<ForeignList> {
  const path = `/projects/${encodeURIComponent(project)}/issues`
  const issues = z
    .array(z.looseObject({ iid: z.number(), user_notes_count: z.number().default(0) }))
    .parse(await pages(`${path}?scope=all`))
  const whole = []
  for (const issue of issues) {
    const notes = issue.user_notes_count === 0 ? [] : await pages(`${path}/${issue.iid}/notes?sort=asc`)
    whole.push({ ...issue, notes })
  }
  return readGitlab(whole, origin)
}

function pagesOf(api: string, token: string | undefined): Pages {
  return async (path) => {
    const all: unknown[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const rows = await ask(`${api}${path}&per_page=${PAGE}&page=${page}`, token)
      all.push(...rows)
      if (rows.length < PAGE) return all
    }
    throw new ChorusError("too_many_items", `${api}${path} has more than ${MOST_PAGES * PAGE} entries.`, {
      next: "Export a part of them to a file and bring that.",
    })
  }
}

async function ask(url: string, token: string | undefined): Promise<unknown[]> {
  const headers = {
    accept: "application/json",
    "user-agent": "chorus",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  let response: Response
  try {
    response = await fetch(url, { headers, signal: AbortSignal.timeout(WAIT_MS) })
  } catch (error) {
    throw refused(url, `It cannot be reached (${error instanceof Error ? error.message : String(error)}).`)
  }
  if (!response.ok) throw refused(url, `It answered ${response.status}.`)
  const rows = z.array(z.unknown()).safeParse(await response.json().catch(() => undefined))
  if (!rows.success) throw refused(url, "Its answer is no list.")
  return rows.data
}

function refused(url: string, why: string): ChorusError {
  const { origin, pathname } = new URL(url)
  return new ChorusError("tracker_unreachable", `${origin}${pathname}: ${why}`, {
    status: 502,
    next: "Check the name, and set GITHUB_TOKEN or GITLAB_TOKEN where the project is not public.",
  })
}
