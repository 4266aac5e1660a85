import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { type Chapter, contents, type Language, LANGUAGES, placeOf, translationOf } from "./contents.ts"
import { frame } from "./frame.ts"
import { escapeHtml } from "./highlight.ts"
import { headingAnchors, render, type Rendered } from "./markdown.ts"

export interface SiteOptions {
  readonly root: string
  readonly out: string
}

const ASSETS = join(import.meta.dirname, "assets")

/** Builds the whole site beside the old one and then takes its place. */
export function buildSite({ root, out }: SiteOptions): { pages: number } {
  const fresh = `${out}.${process.pid}.tmp`
  const parts = contents(root)
  const chapters = [...parts.flatMap(({ chapters }) => chapters), ...nounChapters(root)]
  const places = new Map(
    chapters.flatMap(({ file, place }): [string, string][] => [
      [file, place],
      [translationOf(file), place],
    ]),
  )
  const used = new Set<string>()
  for (const language of LANGUAGES) {
    const found = []
    for (const chapter of chapters) {
      const { file, translated } = sourceOf(root, chapter, language)
      const rendered = render(
        readFileSync(join(root, file), "utf8"),
        surroundings({ root, file, place: chapter.place, language, places, used }),
      )
      write(
        join(fresh, below(language), chapter.place),
        frame({ language, place: chapter.place, parts, untranslated: !translated, ...rendered }),
      )
      found.push(...entries(chapter.place, rendered))
    }
    write(join(fresh, `search-${language}.json`), JSON.stringify(found))
  }
  for (const image of used) copy(join(root, image), join(fresh, "files", image))
  for (const asset of readdirSync(ASSETS)) copy(join(ASSETS, asset), join(fresh, asset))
  copy(join(root, "packages", "web", "public", "favicon.svg"), join(fresh, "favicon.svg"))
  rmSync(out, { recursive: true, force: true })
  renameSync(fresh, out)
  return { pages: chapters.length * LANGUAGES.length }
}

function nounChapters(root: string): Chapter[] {
  const folder = "docs/reference/operations"
  return readdirSync(join(root, folder))
    .filter((name) => name !== "index.md")
    .map((name) => ({ file: `${folder}/${name}`, place: placeOf(`${folder}/${name}`), title: { en: name, zh: name } }))
}

function sourceOf(root: string, { file }: Chapter, language: Language): { file: string; translated: boolean } {
  if (language === "en") return { file, translated: true }
  const translation = translationOf(file)
  return existsSync(join(root, translation)) ? { file: translation, translated: true } : { file, translated: false }
}

interface Spot {
  readonly root: string
  readonly file: string
  readonly place: string
  readonly language: Language
  readonly places: ReadonlyMap<string, string>
  readonly used: Set<string>
}

function surroundings({ root, file, place, language, places, used }: Spot) {
  const repositoryPath = (href: string) => posix.normalize(posix.join(posix.dirname(file), decodeURI(href)))
  const up = "../".repeat(place.split("/").length - 1 + (language === "en" ? 0 : 1))
  return {
    link(href: string): string | undefined {
      if (/^(https?:|#|mailto:)/.test(href)) return href
      const [path = "", anchor] = href.split("#")
      const target = places.get(repositoryPath(path))
      if (target === undefined) return undefined
      return `${posix.relative(posix.dirname(place), target) || posix.basename(target)}${anchor === undefined ? "" : `#${sameAnchor(root, repositoryPath(path), language, anchor)}`}`
    },
    picture(href: string, text: string): string {
      const path = repositoryPath(href)
      if (path.endsWith(".svg"))
        return `<figure role="img" aria-label="${escapeHtml(text)}">${drawing(readFileSync(join(root, path), "utf8"))}</figure>`
      const dark = path.replace(/-light\./, "-dark.")
      const both = dark !== path && existsSync(join(root, dark)) ? [path, dark] : [path]
      for (const image of both) used.add(image)
      return both
        .map((image, index) =>
          imageTag(`${up}files/${image}`, text, both.length === 1 ? "" : index === 0 ? "only-light" : "only-dark"),
        )
        .join("")
    },
  }
}

/** A page in English that stands in for its translation may point into one that is translated: headings agree in number. */
function sameAnchor(root: string, file: string, language: Language, anchor: string): string {
  const translation = translationOf(file)
  if (language === "en" || !existsSync(join(root, translation))) return anchor
  const at = headingAnchors(readFileSync(join(root, file), "utf8")).indexOf(anchor)
  return headingAnchors(readFileSync(join(root, translation), "utf8"))[at] ?? anchor
}

function imageTag(source: string, text: string, theme: string): string {
  return `<img class="shot ${theme}" src="${source}" alt="${escapeHtml(text)}" loading="lazy">`
}

/** Our drawings follow the theme of the page instead of that of the system. */
function drawing(svg: string): string {
  return svg.replace(/<\?xml[^>]*>/, "").replace(/<style>[\s\S]*?<\/style>/, "")
}

/** What the search finds of a page; long stretches are cut, their beginning says what they are about. */
function entries(place: string, { title, passages }: Rendered): object[] {
  return passages.map(({ heading, anchor, text }) => ({
    u: heading === title ? place : `${place}#${anchor}`,
    t: title,
    h: heading === title ? "" : heading,
    x: text.slice(0, 1200),
  }))
}

function below(language: Language): string {
  return language === "en" ? "" : language
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
