/** The passages of a text that have most to do with something, in the order of the text and within the room there is. */
export function passagesAbout(text: string, about: string, room: number): string {
  const whole = text.trim()
  if (whole.length <= room) return whole
  const passages = passagesOf(whole)
  const wanted = wordsOf(about)
  const ranked = passages
    .map((passage, at) => ({ passage, at, score: scoreOf(passage, passages, wanted) }))
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
  const chosen: { passage: string; at: number }[] = []
  let left = room
  for (const { passage, at, score } of ranked) {
    if (score === 0 && chosen.length > 0) break
    const kept = clip(passage, left)
    if (kept.length < Math.min(passage.length, LEAST)) continue
    chosen.push({ passage: kept, at })
    left -= kept.length + GAP.length
  }
  return chosen
    .toSorted((a, b) => a.at - b.at)
    .map(({ passage }) => passage)
    .join(GAP)
}

/** How much two texts have to do with each other; nothing is zero. */
export function closeness(text: string, about: string): number {
  const wanted = wordsOf(about)
  return [...wordsOf(text)].filter((word) => wanted.has(word)).length
}

/** Several reports as one, oldest first: the newest gets half of the room, the earlier share the rest. */
export function condensed(reports: readonly string[], room: number): string {
  const lines = reports.map((report) => report.replaceAll(/\s+/g, " ").trim())
  const share = lines.length < 2 ? room : Math.floor(room / 2 / (lines.length - 1)) - GAP.length
  return lines.map((line, at) => clip(line, at === lines.length - 1 ? Math.ceil(room / 2) : share)).join(" / ")
}

/** The beginning of a text, up to the end of a word; what was cut is marked. */
export function clip(text: string, room: number): string {
  if (text.length <= room) return text
  if (room < 2) return ""
  const cut = text.slice(0, room - 1)
  const end = cut.search(/\s\S*$/)
  return `${(end > room / 2 ? cut.slice(0, end) : cut).trimEnd()}…`
}

const GAP = "\n…\n"
const LEAST = 60

/** Paragraphs, each below the heading under which it stands. */
function passagesOf(text: string): string[] {
  const passages: string[] = []
  let heading = ""
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.trim().split("\n")
    const head = /^#{1,6}\s/.test(lines[0] ?? "") ? lines.shift() : undefined
    if (head !== undefined) heading = head
    if (lines.length > 0 && lines.join("").trim() !== "")
      passages.push(heading === "" ? lines.join("\n") : `${heading}\n${lines.join("\n")}`)
  }
  return passages.length === 0 ? [text] : passages
}

/** Rare words tell more than those that stand everywhere. */
function scoreOf(passage: string, all: readonly string[], wanted: ReadonlySet<string>): number {
  let score = 0
  for (const word of wordsOf(passage)) {
    if (!wanted.has(word)) continue
    const places = all.filter((other) => wordsOf(other).has(word)).length
    score += Math.log(1 + all.length / Math.max(1, places))
  }
  return score
}

/** Words of three letters and more without their plural; of scripts without spaces, every two signs. */
function wordsOf(text: string): Set<string> {
  const lower = text.toLowerCase()
  const words = (lower.match(/[\p{Letter}\p{Number}_]{3,}/gu) ?? [])
    .filter((word) => !HAN.test(word))
    .map((word) => word.replace(/(es|s)$/, ""))
  const pairs = [...lower.matchAll(/(?=(\p{Script=Han}{2}))/gu)].map(([, pair]) => pair ?? "")
  return new Set([...words.filter((word) => !COMMON.has(word)), ...pairs])
}

const HAN = /\p{Script=Han}/u
const COMMON = new Set(
  "the and for with that this from are not has have will which when what can may must one all its".split(" "),
)
