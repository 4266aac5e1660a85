import { existsSync, readFileSync, statSync } from "node:fs"
import { extname, join, normalize, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Hono } from "hono"
import type { DoorEnv } from "./door-env.ts"

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
}

/** Nothing inline, nothing from elsewhere; images may come from files people attached. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

export const SECURITY_HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

/** The built page: hashed files for ever, everything else is the page itself, asked for anew each time. */
export function pageDoor(directory: string): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.get("*", (c, next) => {
    const file = fileAt(directory, c.req.path)
    if (file === undefined) return next()
    const hashed = c.req.path.startsWith("/assets/")
    return c.body(readFileSync(file), 200, {
      ...SECURITY_HEADERS,
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
    })
  })
  return door
}

/** Where the build puts the page, seen from the bundle or from the sources; undefined before it was built. */
export function builtPage(): string | undefined {
  const candidates = ["./web/", "../../../../dist/web/"].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return candidates.find((directory) => existsSync(join(directory, "index.html")))
}

function fileAt(directory: string, path: string): string | undefined {
  if (path.startsWith("/api/") || path === "/metrics") return undefined
  const name = decode(path)
  if (name.includes("\0")) return undefined
  const wanted = normalize(join(directory, name))
  const inside = wanted.startsWith(directory.endsWith(sep) ? directory : directory + sep)
  if (inside && statSync(wanted, { throwIfNoEntry: false })?.isFile() === true) return wanted
  return extname(path) === "" ? join(directory, "index.html") : undefined
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
