const { base, language, none } = document.body.dataset
const root = document.documentElement
const field = document.querySelector(".search input")
const list = document.querySelector("#found")
const menu = document.querySelector(".menu")
const SHOWN = 12
const CJK = /[\u3400-\u9fff]/

document.querySelector(".theme").addEventListener("click", () => {
  const theme = root.dataset.theme === "dark" ? "light" : "dark"
  root.dataset.theme = theme
  try {
    localStorage.setItem("chorus-docs-theme", theme)
  } catch {
    // Then it holds for this page.
  }
})

const contents = document.querySelector(".contents")
const here = contents.querySelector("[aria-current]")
if (here !== null) contents.scrollTop = here.offsetTop - contents.offsetTop - contents.clientHeight / 2

menu.addEventListener("click", () => openContents(!document.body.classList.contains("contents-open")))
contents.addEventListener("click", (event) => event.target.closest("a") && openContents(false))

function openContents(open) {
  document.body.classList.toggle("contents-open", open)
  menu.setAttribute("aria-expanded", String(open))
}

/** The index is fetched with the first search, in this page's language. */
let index
function loadIndex() {
  index ??= fetch(`${base}search-${language}.json`)
    .then((answer) => answer.json())
    .then((entries) =>
      entries.map((entry) => ({
        ...entry,
        title: entry.t.toLowerCase(),
        heading: entry.h.toLowerCase(),
        text: entry.x.toLowerCase(),
      })),
    )
  return index
}

/** Words stand between spaces; Chinese has none, so a run of it also counts by its pairs. */
function termsOf(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

function pairsOf(term) {
  return CJK.test(term) && term.length > 2
    ? Array.from({ length: term.length - 1 }, (_, at) => term.slice(at, at + 2))
    : []
}

function scoreOf(entry, term) {
  const whole = wordScore(entry, term)
  const pairs = pairsOf(term).map((pair) => wordScore(entry, pair))
  if (whole > 0 || pairs.length === 0) return whole
  const hits = pairs.filter((score) => score > 0)
  return hits.length * 2 > pairs.length ? hits.reduce((sum, score) => sum + score, 0) / pairs.length / 2 : 0
}

function wordScore({ title, heading, text }, term) {
  let score = 0
  if (heading === term || title === term) score += 40
  if (heading.includes(term)) score += heading.startsWith(term) ? 16 : 12
  if (title.includes(term)) score += heading === "" ? 14 : 4
  const at = text.indexOf(term)
  if (at !== -1) score += 3 + Math.min(3, text.split(term).length - 1) - Math.min(2, at / 600)
  return score
}

async function search(query) {
  const terms = termsOf(query)
  if (terms.length === 0) return show(undefined)
  const entries = await loadIndex()
  if (field.value !== query) return
  const found = entries
    .map((entry) => ({ entry, scores: terms.map((term) => scoreOf(entry, term)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ entry, scores }) => ({
      entry,
      score: scores.reduce((sum, score) => sum + score, 0) * weightOf(entry, terms),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
  const shown = [...terms, ...terms.flatMap(pairsOf)]
  show(found.map(({ entry }) => item(entry, shown)))
}

/** Whoever does not ask for an exact name wants to be told, not to look it up. */
function weightOf({ u, heading }, terms) {
  return u.startsWith("reference/") && heading !== terms.join(" ") ? 0.2 : 1
}

function item(entry, terms) {
  const link = document.createElement("a")
  link.href = `${base}${language === "en" ? "" : `${language}/`}${entry.u}`
  const title = document.createElement("strong")
  title.append(...marked(entry.h || entry.t, terms))
  link.append(title)
  if (entry.h) link.append(Object.assign(document.createElement("small"), { textContent: entry.t }))
  const words = document.createElement("p")
  words.append(...marked(around(entry, terms), terms))
  link.append(words)
  const row = document.createElement("li")
  row.setAttribute("role", "option")
  row.append(link)
  return row
}

function around({ x, text }, terms) {
  const at = Math.min(...terms.map((term) => text.indexOf(term)).filter((place) => place !== -1), Infinity)
  const start = at === Infinity ? 0 : Math.max(0, at - 40)
  return `${start > 0 ? "…" : ""}${x.slice(start, start + (CJK.test(x) ? 70 : 140))}`
}

function marked(text, terms) {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return text
    .split(new RegExp(`(${escaped.join("|")})`, "gi"))
    .map((part, at) => (at % 2 === 0 ? part : Object.assign(document.createElement("mark"), { textContent: part })))
}

function show(items) {
  const nothing =
    items?.length === 0 ? [Object.assign(document.createElement("li"), { className: "none", textContent: none })] : []
  list.replaceChildren(...(items ?? []), ...nothing)
  list.hidden = items === undefined
  field.setAttribute("aria-expanded", String(!list.hidden))
  choose(items?.[0])
}

function choose(row) {
  for (const other of list.children) other.removeAttribute("aria-selected")
  row?.setAttribute("aria-selected", "true")
  row?.scrollIntoView({ block: "nearest" })
}

field.addEventListener("focus", () => void loadIndex())
field.addEventListener("input", () => void search(field.value))
field.addEventListener("keydown", (event) => {
  const chosen = list.querySelector("[aria-selected]")
  if (event.key === "ArrowDown") choose(chosen?.nextElementSibling ?? chosen)
  else if (event.key === "ArrowUp") choose(chosen?.previousElementSibling ?? chosen)
  else if (event.key === "Enter") chosen?.querySelector("a")?.click()
  else if (event.key === "Escape") {
    field.value = ""
    show(undefined)
    field.blur()
  } else return
  event.preventDefault()
})
document.addEventListener("click", (event) => event.target.closest(".search") || show(undefined))
list.addEventListener("click", () => show(undefined))
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, textarea, [contenteditable]")
  if ((event.key === "/" && !writing) || (event.key === "k" && (event.metaKey || event.ctrlKey))) {
    event.preventDefault()
    field.focus()
  }
})

for (const block of document.querySelectorAll(".code")) {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "copy",
    textContent: language === "zh" ? "复制" : "Copy",
  })
  const label = button.textContent
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent)
    button.textContent = "✓"
    setTimeout(() => (button.textContent = label), 1200)
  })
  block.append(button)
}

const outline = [...document.querySelectorAll(".outline a")]
if (outline.length > 0) {
  const byId = new Map(outline.map((link) => [decodeURIComponent(link.hash.slice(1)), link]))
  const seen = new IntersectionObserver(
    (entries) => {
      const first = entries.find((entry) => entry.isIntersecting)
      if (first === undefined) return
      for (const link of outline) link.removeAttribute("aria-current")
      byId.get(first.target.id)?.setAttribute("aria-current", "true")
    },
    { rootMargin: "-70px 0px -70% 0px" },
  )
  for (const id of byId.keys()) {
    const heading = document.getElementById(id)
    if (heading !== null) seen.observe(heading)
  }
}
