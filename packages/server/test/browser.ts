import type { ChorusServer } from "../src/index.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
  /** The code of the refusal, if it is one. */
  readonly code: string | undefined
}

/** A browser as the server sees one: keeps cookies, says which page a change comes from. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #server: Pick<ChorusServer, "url">

  constructor(server: Pick<ChorusServer, "url">) {
    this.#server = server
  }

  async post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(
      "POST",
      path,
      { "content-type": "application/json", origin: this.#server.url, ...headers },
      JSON.stringify(body),
    )
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send("GET", path, headers)
  }

  call(operation: string, input: object = {}): Promise<Answer> {
    return this.post(`/api/v1/${operation}`, input)
  }

  /** Opens a one-time link, as the page behind it does. */
  open(link: string): Promise<Answer> {
    return this.post("/api/auth/link", { token: link.slice(link.indexOf("#") + 1) })
  }

  /** Another browser with a copy of the cookies: a thief, a request that is still under way, or one at another server. */
  copy(at = this.#server): Browser {
    const copy = new Browser(at)
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(new URL(path, this.#server.url), {
      method,
      redirect: "manual",
      headers: { ...headers, ...(cookie && { cookie }) },
      ...(body && { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    const parsed = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {}
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      code: (parsed["error"] as { code: string } | undefined)?.code,
    }
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}
