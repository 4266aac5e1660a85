import { type Language, LANGUAGES, type Part } from "./contents.ts"
import { escapeHtml } from "./highlight.ts"
import type { Heading } from "./markdown.ts"

export interface Sheet {
  readonly language: Language
  /** Where this page stands below its language: `reference/tools.html`. */
  readonly place: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly parts: readonly Part[]
  /** The text is in another language than the frame. */
  readonly untranslated: boolean
}

const WORDS = {
  en: {
    name: "English",
    search: "Search",
    menu: "Contents",
    theme: "Light or dark",
    here: "On this page",
    skip: "Skip to the text",
    before: "Before",
    next: "Next",
    none: "Nothing found",
    untranslated: "",
    generated: "",
  },
  zh: {
    name: "中文",
    search: "搜索",
    menu: "目录",
    theme: "浅色或深色",
    here: "本页内容",
    skip: "跳到正文",
    before: "上一页",
    next: "下一页",
    none: "没有找到",
    untranslated: "本页暂无中文版，以下为英文原文。",
    generated: "参考部分由程序从代码生成，内容为英文。",
  },
} as const

const HTML_LANG = { en: "en", zh: "zh-CN" } as const

/** A whole page around its text. Nothing in it is inline script or style, so it can stand behind a strict policy. */
export function frame(sheet: Sheet): string {
  const { language, place, title, html, untranslated } = sheet
  const words = WORDS[language]
  const up = upFrom(language, place)
  const home = place === "index.html"
  const full = home ? "Chorus" : `${title} · Chorus`
  return `<!doctype html>
<html lang="${HTML_LANG[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(full)}</title>
<link rel="icon" href="${up}favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}style.css">
<script src="${up}theme.js"></script>
<script src="${up}site.js" defer></script>
${LANGUAGES.filter((other) => other !== language)
  .map((other) => `<link rel="alternate" hreflang="${HTML_LANG[other]}" href="${addressOf(up, other, place)}">`)
  .join("")}
</head>
<body data-base="${up}" data-language="${language}" data-none="${words.none}">
<a class="skip" href="#text">${words.skip}</a>
<header class="top">
<button class="icon menu" type="button" aria-label="${words.menu}" aria-expanded="false" aria-controls="contents">${ICONS.menu}</button>
<a class="brand" href="${addressOf(up, language, "index.html")}"><img src="${up}favicon.svg" alt="" width="24" height="24">Chorus</a>
<div class="search" role="search"><input type="search" placeholder="${words.search}" aria-label="${words.search}" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found"><kbd>/</kbd><ul id="found" role="listbox" hidden></ul></div>
<nav class="languages" aria-label="Language">${LANGUAGES.map((other) => (other === language ? `<span aria-current="true">${WORDS[other].name}</span>` : `<a href="${addressOf(up, other, place)}" lang="${HTML_LANG[other]}">${WORDS[other].name}</a>`)).join("")}</nav>
<button class="icon theme" type="button" aria-label="${words.theme}">${ICONS.sun}${ICONS.moon}</button>
</header>
<div class="columns">
<nav class="contents" id="contents" aria-label="${words.menu}">${contentsList(sheet, up)}</nav>
<main id="text" class="${home ? "home" : "page"}">
${untranslated ? `<p class="note">${place.startsWith("reference/") ? words.generated : words.untranslated}</p>` : ""}
<article${untranslated ? ' lang="en"' : ""}>
${html}</article>
${home ? "" : neighbours(sheet, up, words)}
</main>
${home ? "" : outline(sheet, words.here)}
</div>
</body>
</html>
`
}

/** From a page back to the root of the site. */
function upFrom(language: Language, place: string): string {
  const depth = place.split("/").length - 1 + (language === "en" ? 0 : 1)
  return "../".repeat(depth) || "./"
}

function addressOf(up: string, language: Language, place: string): string {
  return `${up}${language === "en" ? "" : `${language}/`}${place}`
}

function contentsList({ language, parts, place }: Sheet, up: string): string {
  return parts
    .map(({ title, chapters }) => {
      const items = chapters.map(
        (chapter) =>
          `<li><a href="${addressOf(up, language, chapter.place)}"${isHere(chapter.place, place) ? ' aria-current="page"' : ""}>${escapeHtml(chapter.title[language])}</a></li>`,
      )
      return `<h2>${escapeHtml(title[language])}</h2><ul>${items.join("")}</ul>`
    })
    .join("\n")
}

/** The pages of single nouns stand under the index of operations. */
function isHere(chapter: string, place: string): boolean {
  return (
    chapter === place || (chapter === "reference/operations/index.html" && place.startsWith("reference/operations/"))
  )
}

function outline({ headings, untranslated }: Sheet, here: string): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return '<div class="outline"></div>'
  return `<nav class="outline" aria-label="${here}"><h2>${here}</h2><ul${untranslated ? ' lang="en"' : ""}>${shown.map(({ depth, text, anchor }) => `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text).replaceAll("_", "_<wbr>")}</a></li>`).join("")}</ul></nav>`
}

function neighbours({ language, parts, place }: Sheet, up: string, words: { before: string; next: string }): string {
  const all = parts.flatMap(({ chapters }) => chapters)
  const at = all.findIndex((chapter) => chapter.place === place)
  if (at === -1) return ""
  const link = (side: "before" | "next", chapter: (typeof all)[number] | undefined) =>
    chapter === undefined
      ? "<span></span>"
      : `<a class="${side}" href="${addressOf(up, language, chapter.place)}"><small>${words[side]}</small>${escapeHtml(chapter.title[language])}</a>`
  return `<nav class="neighbours">${link("before", all[at - 1])}${link("next", all[at + 1])}</nav>`
}

const ICONS = {
  menu: '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16"/></svg>',
  sun: '<svg class="sun" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400"/></svg>',
  moon: '<svg class="moon" viewBox="0 0 24 24" aria-hidden="true"><path d="M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500z"/></svg>',
}
