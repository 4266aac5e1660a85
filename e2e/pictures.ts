import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"

const ROOT = join(import.meta.dirname, "..")
export const IMAGES = join(ROOT, "docs", "images")
/** The pictures of the books are renewed on purpose only. */
export const RENEW = process.env["CHORUS_IMAGES"] === "1"

/** Renews a picture that some page of the books shows; the repository keeps no others. */
export async function renewPicture(page: Page, file: string): Promise<void> {
  if (!RENEW || !shown().includes(`images/${file}`)) return
  mkdirSync(IMAGES, { recursive: true })
  await page.screenshot({ path: join(IMAGES, file) })
}

function shown(): string {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  )
  return [join(ROOT, "README.md"), ...pages.map((name) => join(ROOT, "docs", name))]
    .map((page) => readFileSync(page, "utf8"))
    .join("\n")
}
