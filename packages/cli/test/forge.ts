import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Issue {
  number: number
  title: string
  body: string
  state: "open" | "closed"
  reason: string | null
  comments: { id: number; by: string; body: string }[]
}

/**
 * A forge on this machine that keeps issues and answers as GitHub and GitLab do: the same paths, fields and codes, as
 * far as a bridge asks for them.
 */
export async function startForge(kind: "github" | "gitlab", token: string) {
  const issues = new Map<number, Issue>()
  const asked: { method: string; path: string; body: Record<string, unknown> }[] = []
  let ids = 1000
  let answers: number | undefined
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8")
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
      const { pathname: path } = new URL(request.url ?? "", "http://forge")
      const method = request.method ?? ""
      asked.push({ method, path, body })
      const [status, answer] = answerTo(method, path, body, request.headers.authorization)
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    origin: `${kind}:octo/shop`,
    issues,
    asked,
    /** Answers everything with this status, until told otherwise. */
    failWith: (status: number | undefined) => void (answers = status),
    writes: () => asked.filter(({ method }) => method !== "GET"),
    open: (number: number, title: string, body = "") =>
      void issues.set(number, { number, title, body, state: "open", reason: null, comments: [] }),
    comment: (number: number, by: string, body: string) =>
      void issues.get(number)?.comments.push({ id: ids++, by, body }),
    /** What it posts to a webhook about this issue, with what proves that it does. */
    hook(number: number, secret: string): { body: string; headers: Record<string, string> } {
      const told =
        kind === "github"
          ? { action: "edited", issue: { number }, repository: { full_name: "octo/shop" } }
          : {
              object_kind: "issue",
              object_attributes: { iid: number },
              project: { path_with_namespace: "octo/shop" },
            }
      const body = JSON.stringify(told)
      const headers =
        kind === "github"
          ? { "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }
          : { "x-gitlab-token": secret }
      return { body, headers: { "content-type": "application/json", ...headers } }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }

  function answerTo(method: string, path: string, body: Record<string, unknown>, key?: string): [number, unknown] {
    if (answers !== undefined) return [answers, { message: "no" }]
    if (key !== `Bearer ${token}`) return [401, { message: "Bad credentials" }]
    const below = kind === "github" ? /^\/repos\/octo\/shop\/issues/ : /^\/projects\/octo%2Fshop\/issues/
    const [, number, rest] = /^\/(\d+)(\/comments|\/notes)?$/.exec(path.replace(below, "")) ?? []
    const issue = issues.get(Number(number))
    if (!below.test(path) || issue === undefined) return [404, { message: "Not Found" }]
    if (rest === undefined) return [200, method === "GET" ? shown(issue) : shown(change(issue, body))]
    if (method === "GET") return [200, issue.comments.map((comment) => said(issue, comment))]
    const comment = { id: ids++, by: "chorus-bot", body: String(body["body"]) }
    issue.comments.push(comment)
    return [201, said(issue, comment)]
  }

  function change(
    issue: Issue,
    { title, body, description, state, state_reason, state_event }: Record<string, unknown>,
  ) {
    if (typeof title === "string") issue.title = title
    if (typeof (body ?? description) === "string") issue.body = String(body ?? description)
    if (state === "open" || state_event === "reopen") Object.assign(issue, { state: "open", reason: null })
    if (state === "closed" || state_event === "close")
      Object.assign(issue, { state: "closed", reason: state_reason ?? null })
    return issue
  }

  function shown({ number, title, body, state, reason, comments }: Issue): object {
    const page = `${url}/octo/shop/${kind === "github" ? "" : "-/"}issues/${number}`
    return kind === "github"
      ? { number, title, body, state, state_reason: reason, html_url: page, labels: [], comments: comments.length }
      : {
          iid: number,
          title,
          description: body,
          state: state === "open" ? "opened" : "closed",
          web_url: page,
          labels: [],
          user_notes_count: comments.length,
        }
  }

  function said({ number }: Issue, { id, by, body }: Issue["comments"][number]): object {
    const created_at = "2026-03-02T12:00:00Z"
    return kind === "github"
      ? { id, body, user: { login: by }, created_at, issue_url: `${url}/repos/octo/shop/issues/${number}` }
      : { id, body, author: { username: by }, system: false, created_at }
  }
}
