import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fetchTracker, forgeOf } from "./fetch-tracker.ts"

let forge: Server
let api: string
let asked: { url: string; authorization: string | undefined }[]
let answers: (path: URL) => unknown

beforeEach(async () => {
  asked = []
  forge = createServer((request, response) => {
    asked.push({ url: request.url ?? "", authorization: request.headers.authorization })
    const answer = answers(new URL(request.url ?? "", "http://forge"))
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? { message: "Not Found" }))
  })
  await new Promise<void>((listening) => forge.listen(0, "127.0.0.1", listening))
  api = `http://127.0.0.1:${(forge.address() as AddressInfo).port}/`
})
afterEach(() => new Promise((closed) => forge.close(closed)))

describe("a repository on GitHub", () => {
  it("is asked page by page, with its comments", async () => {
    const issues = Array.from({ length: 130 }, (_, n) => ({ number: n + 1, title: `Issue ${n + 1}`, state: "open" }))
    const comment = { id: 9, body: "Hi", user: { login: "ada" }, created_at: "2026-01-01T00:00:00Z" }
    answers = ({ pathname, searchParams }) => {
      const rows =
        pathname === "/repos/octo/shop/issues"
          ? issues
          : [{ ...comment, issue_url: `${api}repos/octo/shop/issues/130` }]
      const page = Number(searchParams.get("page"))
      return rows.slice((page - 1) * 100, page * 100)
    }
    const { origin, items } = await fetchTracker("github:octo/shop", { api, token: "t0ken" })
    expect(origin).toBe("github:octo/shop")
    expect(items).toHaveLength(130)
    expect(items.at(-1)?.comments).toMatchObject([{ author: "ada", content: "Hi" }])
    expect(asked.map(({ url }) => url)).toEqual([
      "/repos/octo/shop/issues?state=all&per_page=100&page=1",
      "/repos/octo/shop/issues?state=all&per_page=100&page=2",
      "/repos/octo/shop/issues/comments?sort=created&per_page=100&page=1",
    ])
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer t0ken"]))
  })
})

describe("a project on GitLab", () => {
  it("fetches the notes of issues that have some, and of no others", async () => {
    answers = ({ pathname }) =>
      pathname.endsWith("/notes")
        ? [{ id: 1, body: "Hi", author: { username: "bob" }, created_at: "2026-01-01" }]
        : [
            { iid: 1, title: "One", state: "closed", user_notes_count: 1 },
            { iid: 2, title: "Two", state: "opened", user_notes_count: 0 },
          ]
    const { items } = await fetchTracker("gitlab:team/sub/shop", { api })
    expect(items).toMatchObject([
      { key: "1", status: "done", comments: [{ author: "bob" }] },
      { key: "2", comments: [] },
    ])
    expect(asked.map(({ url }) => url)).toEqual([
      "/projects/team%2Fsub%2Fshop/issues?scope=all&per_page=100&page=1",
      "/projects/team%2Fsub%2Fshop/issues/1/notes?sort=asc&per_page=100&page=1",
    ])
  })
})

it("says what the forge answered, and what may help", async () => {
  answers = () => undefined
  const refused = fetchTracker("github:octo/none", { api, token: "t0ken" })
  await expect(refused).rejects.toMatchObject({ code: "tracker_unreachable", next: /GITHUB_TOKEN/ })
  await expect(refused).rejects.toThrow("answered 404")
  await expect(refused).rejects.not.toThrow("t0ken")
  answers = () => ({ a: "page, not a list" })
  await expect(fetchTracker("github:octo/shop", { api })).rejects.toThrow("no list")
})

it.each(["github:octo", "github:../x", "github:a/b?c=d", "gitlab:", "bitbucket:a/b", "issues.json"])(
  "%s is no address of a forge",
  (source) => expect(forgeOf(source)).toBeUndefined(),
)
