import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join, normalize, sep } from "node:path"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".gif": "image/gif",
  ".webp": "image/webp",
}
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Serves the built site on loopback, behind the policy it is made for. */
export function serveSite(folder: string, port: number): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const file = fileFor(folder, new URL(request.url ?? "/", "http://localhost").pathname)
    if (file === undefined)
      return response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.\n")
    return response
      .writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-security-policy": POLICY,
      })
      .end(readFileSync(file))
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve({
        url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}/`,
        close: () => server.close(),
      })
    })
  })
}

function fileFor(folder: string, path: string): string | undefined {
  const wanted = normalize(join(folder, decodeURIComponent(path), path.endsWith("/") ? "index.html" : ""))
  return wanted.startsWith(folder + sep) && existsSync(wanted) && statSync(wanted).isFile() ? wanted : undefined
}
