// Makes the reference from the code and the site from docs/. `npm run docs [-- --serve [--port N]] [-- --reference] [-- --check]`
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { parseArgs } from "node:util"
import { ensureInstalled, root } from "./install.mjs"

const folder = join(root, "docs", "reference")
const { values } = parseArgs({
  options: {
    check: { type: "boolean" },
    reference: { type: "boolean" },
    serve: { type: "boolean" },
    port: { type: "string", default: "8638" },
  },
})

if (!values.check) ensureInstalled()
const stale = await differences()
if (values.check) report(stale)
else {
  write(stale)
  if (!values.reference) await makeSite()
}

/** Files of the reference that are not as the code would have them; without text where the file should go. */
async function differences() {
  const { referencePages } = await import("../site/reference/book.ts")
  const pages = await referencePages(root)
  const there = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"))
    : []
  const changed = [...pages].filter(
    ([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8") !== text,
  )
  return [...changed, ...there.filter((name) => !pages.has(name)).map((name) => [name, undefined])]
}

function report(stale) {
  if (stale.length === 0) return
  for (const [name] of stale) console.error(`${relative(root, join(folder, name))} is not what the code says`)
  console.error("Run `npm run docs -- --reference` and commit what it writes.")
  process.exitCode = 1
}

function write(stale) {
  for (const [name, text] of stale) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (text === undefined) rmSync(path)
    else writeFileSync(path, text)
    console.log(`${text === undefined ? "removed" : "wrote"} ${relative(root, path)}`)
  }
}

async function makeSite() {
  const began = Date.now()
  const { buildSite } = await import("../site/build.ts")
  const out = join(root, "dist", "docs")
  const { pages } = await buildSite({ root, out })
  console.log(`built ${pages} pages into ${relative(root, out)} in ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (!values.serve) return
  const { serveSite } = await import("../site/serve.ts")
  const { url } = await serveSite(out, Number(values.port))
  console.log(`reading at ${url}; Ctrl-C ends it`)
}
