import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { downloadFile, fetchText } from "../src/fetch/download.ts"
import { checkHost, httpGet, isNetworkError, networkPolicy, trusting, unreachable } from "../src/fetch/network.ts"
import { codeOf } from "./workbench.ts"
import { useWorkbench } from "./scratch.ts"

const bench = useWorkbench()
const folder = () => join(bench().root, "downloads")
const policyFor = (...urls: string[]) =>
  networkPolicy(
    {},
    urls.map((url) => new URL(url).host),
  )
const options = (url: string, more: Record<string, unknown> = {}) => ({
  policy: policyFor(url),
  maxBytes: 1000,
  ...more,
})
const partOf = (url: string) => join(folder(), `${createHash("sha256").update(url).digest("hex").slice(0, 24)}.part`)

/** What a process that died in the middle of a download leaves. */
function leave(url: string, text: string, tag: string): void {
  mkdirSync(folder(), { recursive: true })
  writeFileSync(partOf(url), text)
  writeFileSync(`${partOf(url)}.tag`, tag)
  writeFileSync(`${partOf(url)}.claim`, "")
}

describe("a download", () => {
  test("is a file of the caller's own: the next one of the same address does not touch it", async () => {
    let version = 0
    const url = `${await bench().serve((_request, response) => response.end(`version ${(version += 1)}`))}/x`
    const first = await downloadFile(url, folder(), options(url))
    const second = await downloadFile(url, folder(), options(url))
    expect([readFileSync(first, "utf8"), readFileSync(second, "utf8")]).toEqual(["version 1", "version 2"])
    expect(readdirSync(folder())).toHaveLength(2)
  })

  test("of one address many times at once is each time whole", async () => {
    const body = "x".repeat(900)
    const url = `${await bench().serve((_request, response) => response.end(body))}/x`
    const files = await Promise.all(Array.from({ length: 8 }, () => downloadFile(url, folder(), options(url))))
    expect(new Set(files).size).toBe(8)
    expect(files.map((file) => readFileSync(file, "utf8") === body)).toEqual(Array.from({ length: 8 }, () => true))
  })

  test("that was whole when its process died starts anew instead of failing for ever", async () => {
    const ranges: (string | undefined)[] = []
    const url = `${await bench().serve((request, response) => {
      ranges.push(request.headers.range)
      if (request.headers.range === "bytes=5-") response.writeHead(416).end()
      else response.end("hello")
    })}/x`
    leave(url, "hello", '"v1"')
    expect(readFileSync(await downloadFile(url, folder(), options(url)), "utf8")).toBe("hello")
    expect(ranges).toEqual(["bytes=5-", undefined])
  })

  test("that broke off is not continued when the server has another version by now", async () => {
    const conditions: unknown[] = []
    const url = `${await bench().serve((request, response) => {
      conditions.push(request.headers["if-range"])
      response.writeHead(200, { etag: '"new"' }).end("all of it")
    })}/x`
    leave(url, "half", '"old"')
    expect(readFileSync(await downloadFile(url, folder(), options(url)), "utf8")).toBe("all of it")
    expect([conditions, existsSync(`${partOf(url)}.claim`)]).toEqual([['"old"'], false])
  })

  test("beyond the limit is refused, by what the server says and by what it sends", async () => {
    const said = `${await bench().serve((_request, response) => response.writeHead(200, { "content-length": "1001" }).end("x".repeat(1001)))}/x`
    const sent = `${await bench().serve((_request, response) => {
      response.write("x".repeat(600))
      response.end("x".repeat(600))
    })}/x`
    for (const url of [said, sent])
      expect(await codeOf(downloadFile(url, folder(), options(url)))).toBe("download_too_large")
    expect(await codeOf(fetchText(sent, options(sent)))).toBe("download_too_large")
  })

  test("tells how far it is, of how much when that is known", async () => {
    const url = `${await bench().serve((_request, response) => response.writeHead(200, { "content-length": "6" }).end("sixsix"))}/tool.zip`
    const steps: unknown[] = []
    await downloadFile(url, folder(), options(url, { progress: (step: unknown) => steps.push(step) }))
    expect(steps.at(-1)).toEqual({ what: "Downloading tool.zip", done: 6, total: 6 })
  })

  test.each([
    [404, "error_not_found"],
    [410, "error_not_found"],
    [403, "error_network"],
    [500, "error_network"],
  ])("answered with %i is %s, and leaves nothing behind", async (status, code) => {
    const url = `${await bench().serve((_request, response) => response.writeHead(status).end("no"))}/x`
    expect(await codeOf(downloadFile(url, folder(), options(url)))).toBe(code)
    expect(readdirSync(folder())).toEqual([])
  })

  test("that was left behind a day ago is swept away by the next", async () => {
    const url = `${await bench().serve((_request, response) => response.end("x"))}/x`
    const file = await downloadFile(url, folder(), options(url))
    const old = new Date(Date.now() - 25 * 3_600_000)
    utimesSync(file, old, old)
    const next = await downloadFile(url, folder(), options(url))
    expect([existsSync(file), existsSync(next)]).toEqual([false, true])
  })

  test("that hangs is given up after its time", async () => {
    const url = `${await bench().serve((_request, response) => void response.write("x"))}/x`
    expect(await codeOf(fetchText(url, options(url, { timeoutMs: 100 })))).toBe("error_network")
  })
})

describe("a request", () => {
  test("carries its headers, and not to another host it is sent on to", async () => {
    const seen: (string | undefined)[] = []
    const inner = await bench().serve(
      (request, response) => (seen.push(request.headers.authorization), response.end("there")),
    )
    const outer = await bench().serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(302, { location: request.url === "/same" ? "/other" : `${inner}/` }).end()
    })
    const get = async (path: string) =>
      fetchText(`${outer}${path}`, {
        policy: policyFor(outer, inner),
        maxBytes: 100,
        headers: { authorization: "secret" },
      })
    expect(await get("/away")).toBe("there")
    expect(seen).toEqual(["secret", undefined])
    seen.length = 0
    expect(await get("/same")).toBe("there")
    expect(seen).toEqual(["secret", "secret", undefined])
  })

  test("is sent on five times and no more", async () => {
    const url = await bench().serve((request, response) => {
      const hop = Number((request.url ?? "").slice(1))
      if (hop === 0) response.end("arrived")
      else response.writeHead(307, { location: `/${hop - 1}` }).end()
    })
    expect(await fetchText(`${url}/5`, options(url))).toBe("arrived")
    expect(await codeOf(fetchText(`${url}/6`, options(url)))).toBe("network_redirects")
  })

  test.each([
    "http://127.0.0.1:9/",
    "http://localhost/",
    "http://[::1]/",
    "http://169.254.169.254/",
    "http://0.0.0.0/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    "ftp://x.example/",
  ])("to %s is not made", async (url) => {
    const error = await httpGet(url, networkPolicy({})).catch((fault: unknown) => fault)
    expect(error).toMatchObject({
      code: "address_refused",
      next: expect.stringContaining("CHORUS_PLUGIN_TRUSTED_HOSTS") as string,
    })
  })

  test("to a server that is not there says so, and counts as no network", async () => {
    const url = await bench().serve(() => undefined)
    const gone = `http://127.0.0.1:1/`
    const error = await httpGet(gone, policyFor(gone, url)).catch((fault: unknown) => fault)
    expect(error).toMatchObject({
      code: "error_network",
      message: expect.stringContaining("could not be reached") as string,
    })
    expect(isNetworkError(error)).toBe(true)
  })

  test("is not even tried when Chorus is told to stay offline", async () => {
    const policy = networkPolicy({ CHORUS_OFFLINE: "1" }, ["x.example"])
    const error = await httpGet("https://x.example/a", policy).catch((fault: unknown) => fault)
    expect([error, isNetworkError(error)]).toEqual([expect.objectContaining({ code: "offline" }), true])
    expect(await codeOf(checkHost(new URL("https://x.example"), policy))).toBe("offline")
  })
})

describe("whom to trust", () => {
  test("is listed by name or by name and port, and a typed address adds its own", () => {
    const policy = networkPolicy({ CHORUS_PLUGIN_TRUSTED_HOSTS: "a.example, b.example:8080\nc.example" })
    expect([...policy.trusted]).toEqual(["a.example", "b.example:8080", "c.example"])
    expect([...trusting(policy, "http://d.example:1/x").trusted].at(-1)).toBe("d.example:1")
    expect(trusting(policy, "no url")).toBe(policy)
    expect(networkPolicy({}).offline).toBe(false)
  })

  test("other programs connect to is checked by its name too", async () => {
    expect(await codeOf(checkHost(new URL("http://localhost:1/"), networkPolicy({})))).toBe("address_refused")
    await checkHost(new URL("http://localhost:1/"), networkPolicy({ CHORUS_PLUGIN_TRUSTED_HOSTS: "localhost:1" }))
  })

  test("a fault without words is told by its code", () => {
    expect(unreachable("https://x.example", Object.assign(new Error(""), { code: "ECONNRESET" })).message).toBe(
      "https://x.example could not be reached: ECONNRESET.",
    )
    expect(unreachable("https://x.example", "odd").message).toBe("https://x.example could not be reached: odd.")
  })
})
