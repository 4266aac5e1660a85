import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/**
 * Every file of the checkout with its kind, rights and content, index, HEAD, branches and objects included but for what
 * is left out.
 */
export function fingerprint(folder: string, except: readonly string[] = []): string {
  const hash = createHash("sha256")
  const walk = (path: string) => {
    if (except.some((name) => path.endsWith(name))) return
    const facts = lstatSync(path)
    // Git notes on an object that somebody still needs it; that is its own business.
    hash.update(`${path} ${facts.mode} ${path.includes("/objects/") ? "" : facts.mtimeMs}\n`)
    if (facts.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (facts.isFile()) hash.update(readFileSync(path))
    else if (facts.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name))
  }
  walk(folder)
  return hash.digest("hex")
}
