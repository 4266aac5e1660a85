import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Hono } from "hono"
import type { DoorEnv } from "./door-env.ts"

const BLOCK = 512
const pack = promisify(gzip)

interface Packed {
  readonly built: number
  readonly body: Promise<Uint8Array<ArrayBuffer>>
}

/**
 * The command of this very server as an npm package, so that `npx ADDRESS/chorus.tgz …` runs on any machine that reaches it. It is
 * public: nothing is in it that a clone would not show. `dist` is where this server was built.
 */
export function packedCommandDoor(dist: string): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  let kept: Packed | undefined
  door.get("/:name{chorus(-[0-9a-f]{8})?\\.tgz}", async (c, next) => {
    const built = statSync(join(dist, "chorus.js"), { throwIfNoEntry: false })?.mtimeMs
    if (built === undefined) return next()
    if (kept?.built !== built) kept = { built, body: pack(archive(packageFiles(dist)), { level: 9 }) }
    const body = await kept.body
    const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`
    const headers = { etag, "cache-control": "no-cache", "x-content-type-options": "nosniff" }
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers)
    return c.body(body, 200, { ...headers, "content-type": "application/gzip" })
  })
  return door
}

/** Where the page says that this is: another place for each build, as npx keeps for ever what it once fetched from an address. */
export function packedCommandPath(dist: string): string {
  const entry = join(dist, "chorus.js")
  if (!existsSync(entry)) return "/chorus.tgz"
  // The entry names its chunks, and those carry their hash in their name.
  return `/chorus-${createHash("sha256").update(readFileSync(entry)).digest("hex").slice(0, 8)}.tgz`
}

interface PackageFile {
  readonly path: string
  readonly from: string
}

/** An installed package is its own folder; in a clone the build keeps beside the command what belongs around it. */
function packageFiles(dist: string): PackageFile[] {
  const root = dirname(dist)
  if (existsSync(join(root, "bin", "chorus.mjs"))) return filesBelow(root)
  const around = join(dist, "package")
  const built = filesBelow(dist).filter(
    ({ path }) => !path.startsWith("package/") && !/(^\.built-|\.map$|\.(tmp|old)(\/|$))/.test(path),
  )
  return [...filesBelow(around), ...built.map(({ path, from }) => ({ path: `dist/${path}`, from }))]
}

function filesBelow(folder: string): PackageFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules", folder.length))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((from) => ({ path: relative(folder, from).replaceAll("\\", "/"), from }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** A tar archive as npm reads it: everything below `package/`, nobody's name and no date in it. */
function archive(files: readonly PackageFile[]): Buffer {
  const parts = files.flatMap(({ path, from }) => {
    const contents = readFileSync(from)
    const rest = Buffer.alloc((BLOCK - (contents.length % BLOCK)) % BLOCK)
    return [header(`package/${path}`, contents.length, (statSync(from).mode & 0o111) !== 0), contents, rest]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function header(path: string, size: number, executable: boolean): Buffer {
  const block = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(path)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`
  block.write(name, 0)
  block.write(octal(executable ? 0o755 : 0o644, 7), 100)
  block.write(octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 108)
  block.write(" ".repeat(8), 148)
  block.write("0", 156)
  block.write("ustar\x0000", 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}

/** A name has a hundred bytes; what a longer path begins with stands in a field of its own. */
function splitPath(path: string): readonly [string, string] {
  if (Buffer.byteLength(path) <= 100) return ["", path]
  const at = path.indexOf("/", path.length - 101)
  return [path.slice(0, at), path.slice(at + 1)]
}
