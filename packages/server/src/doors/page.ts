import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, extname, join, normalize, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type Context, Hono } from "hono"
import type { DoorEnv } from "./door-env.ts"
import { packedCommandPath } from "./packed-command.ts"

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

/**
 * Nothing from elsewhere and no inline code. A style element needs the page's own nonce (libraries that lock scrolling make one);
 * style attributes cannot run anything. Images may come from files people attached.
 */
const POLICY = (nonce: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

/** For scripts that run without a page, as workers do: they load code of ours, call home, and nothing else. */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

/** What the build writes where the nonce of each answer belongs. */
const NONCE_PLACE = "CHORUS_NONCE"
/** Where the page says which command it offers. */
const PACKAGE_PLACE = "/chorus.tgz"
/** Where it says at which address others reach the server, if that was set. */
const ADDRESS_PLACE = "CHORUS_ADDRESS"

/** The built page: hashed files for ever, everything else is the page itself, asked for anew each time. */
export function pageDoor(directory: string, publicUrl?: string): Hono<DoorEnv> {
  const address = publicUrl === undefined ? "" : new URL(publicUrl).origin
  const door = new Hono<DoorEnv>()
  const files = new PackedFiles()
  door.get("*", (c, next) => {
    const file = fileAt(directory, c.req.path)
    if (file === undefined) return next()
    const type = TYPES[extname(file)] ?? "application/octet-stream"
    if (basename(file) === "index.html") {
      const html = readFileSync(file, "utf8").replace(PACKAGE_PLACE, packedCommandPath(dirname(directory)))
      return pageWithNonce(c, html.replace(ADDRESS_PLACE, address))
    }
    const hashed = c.req.path.startsWith("/assets/")
    const accepts = c.req.header("accept-encoding") ?? ""
    const encoding = PACKED.has(extname(file)) ? ENCODINGS.find((each) => takes(accepts, each)) : undefined
    const body = files.read(file, encoding)
    return c.body(body, 200, {
      ...SECURITY_HEADERS,
      "content-type": type,
      "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(extname(file) === ".js" ? { "content-security-policy": SCRIPT_POLICY } : {}),
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    })
  })
  return door
}

function pageWithNonce(c: Context<DoorEnv>, html: string): Response {
  const nonce = randomBytes(16).toString("base64")
  return c.body(html.replaceAll(NONCE_PLACE, nonce), 200, {
    ...SECURITY_HEADERS,
    "content-security-policy": POLICY(nonce),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
  })
}

const PACKED = new Set([".js", ".css", ".svg", ".json", ".webmanifest"])

type Encoding = "br" | "gzip"
/** The smaller first. */
const ENCODINGS: readonly Encoding[] = ["br", "gzip"]
const PACK: Readonly<Record<Encoding, (bytes: Buffer) => Buffer>> = {
  // More would be a twentieth smaller, and hold up everybody for seconds.
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => gzipSync(bytes, { level: 9 }),
}

/** Whether a browser takes it: named, and not with the weight of nothing. */
function takes(accepts: string, encoding: Encoding): boolean {
  const named = accepts.split(",").map((each) => each.replaceAll(/\s/g, ""))
  return named.some((each) => each === encoding || (each.startsWith(`${encoding};`) && !/;q=0(\.0*)?$/.test(each)))
}

/** Files as they go out, packed once in each way; a file that was built anew is read anew. */
class PackedFiles {
  readonly #packed = new Map<string, { readonly changed: number; readonly body: Uint8Array<ArrayBuffer> }>()

  read(file: string, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> {
    if (encoding === undefined) return new Uint8Array(readFileSync(file))
    const changed = statSync(file).mtimeMs
    const key = `${encoding} ${file}`
    const kept = this.#packed.get(key)
    if (kept?.changed === changed) return kept.body
    const body = new Uint8Array(PACK[encoding](readFileSync(file)))
    this.#packed.set(key, { changed, body })
    return body
  }
}

/** Where the build puts the page, seen from the bundle or from the sources; undefined before it was built. */
export function builtPage(): string | undefined {
  const candidates = ["./web/", "../web/", "../../../../dist/web/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return candidates.find((directory) => existsSync(join(directory, "index.html")))
}

function fileAt(directory: string, path: string): string | undefined {
  if (path.startsWith("/api/") || path === "/metrics") return undefined
  const name = decode(path)
  if (name.includes("\0")) return undefined
  const wanted = normalize(join(directory, name))
  const inside = wanted.startsWith(directory.endsWith(sep) ? directory : directory + sep)
  if (inside && isFile(wanted)) return wanted
  return extname(path) === "" ? join(directory, "index.html") : undefined
}

/** A name too long for the disk is the name of no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
