import { imports } from "@chorus/contracts"

type ForeignItem = imports.ForeignItem
type ForeignComment = imports.ForeignComment

/** What a file or an address of another tracker holds. */
export interface ForeignList {
  /** Tells the items of this tracker from those of any other: `github:octo/shop`. */
  readonly origin: string
  readonly items: readonly ForeignItem[]
  /** What could not be read, in words. */
  readonly warnings: readonly string[]
}

/** As a tracker has it: anything may be missing, too long or on several lines. */
export interface Found {
  readonly key: string
  readonly title: string
  readonly url?: string | null | undefined
  readonly description?: string | null | undefined
  readonly status?: ForeignItem["status"]
  readonly priority?: ForeignItem["priority"]
  readonly storyPoints?: number | null | undefined
  readonly labels?: readonly string[] | undefined
  readonly dueOn?: string | null | undefined
  readonly criteria?: readonly string[]
  readonly dependsOn?: readonly string[]
  readonly comments?: readonly Partial<ForeignComment>[]
}

const LIMITS = { title: 256, label: 40, labels: 20, criterion: 2000, criteria: 100, text: 200_000, links: 200 } as const
const MOST_COMMENTS = 500

/** The item within our limits: what is longer is cut, what is no address or day is left out. */
export function foreignItem(found: Found): ForeignItem {
  const { title, labels, criteria, text } = LIMITS
  const description = proseOf(found.description ?? "", text)
  const given = found.criteria ?? criteriaIn(description)
  return {
    key: lineOf(found.key, 200),
    url: addressOf(found.url),
    title: lineOf(found.title, title) || `(${lineOf(found.key, 200)})`,
    description: description === "" ? null : description,
    status: found.status ?? "open",
    priority: found.priority ?? "medium",
    storyPoints: pointsOf(found.storyPoints),
    labels: distinct((found.labels ?? []).map((label) => lineOf(label, LIMITS.label))).slice(0, labels),
    dueOn: dayOf(found.dueOn),
    criteria: distinct(given.map((each) => lineOf(each, LIMITS.criterion))).slice(0, criteria),
    dependsOn: distinct((found.dependsOn ?? []).map((key) => lineOf(key, 200)))
      .filter((key) => key !== found.key)
      .slice(0, LIMITS.links),
    comments: (found.comments ?? [])
      .map((comment, at) => ({
        key: lineOf(comment.key ?? String(at + 1), 200),
        author: lineOf(comment.author ?? "", 200) || "somebody",
        at: lineOf(comment.at ?? "", 40) || "at an unknown time",
        content: proseOf(comment.content ?? "", text),
      }))
      .filter(({ content }) => content !== "")
      .slice(0, MOST_COMMENTS),
  }
}

const HEADING = /^#{1,6}\s/
const CRITERIA_HEADING = /^(?:#{1,6}\s*|\*\*\s*)acceptance criteria\b.*$/i
const POINT = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?(?:#\d+\s+)?(.+)$/

/** The points below a heading "Acceptance criteria", up to the next heading. */
export function criteriaIn(markdown: string): string[] {
  const lines = markdown.split(/\r?\n/)
  const from = lines.findIndex((text) => CRITERIA_HEADING.test(text.trim()))
  if (from < 0) return []
  const below = lines.slice(from + 1)
  const until = below.findIndex((text) => HEADING.test(text))
  return pointsIn((until < 0 ? below : below.slice(0, until)).join("\n"))
}

/** The points of a Markdown list. */
export function pointsIn(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => POINT.exec(line)?.[1]?.trim() ?? [])
}

const BLOCKED_BY = /\b(?:blocked by|depends on)\s*:?\s*((?:#\d+(?:\s*(?:,|and)\s*)?)+)/gi

/** Issues that a text says it is blocked by or depends on: "Depends on #3 and #4". */
export function blockersIn(text: string): string[] {
  return [...text.matchAll(BLOCKED_BY)].flatMap(([, list]) => list?.match(/\d+/g) ?? [])
}

/** Work done before what waits for it, so that a dependency always is known already; circles stay as they came. */
export function inOrder(items: readonly ForeignItem[]): ForeignItem[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  const ordered = new Set<ForeignItem>()
  const entered = new Set<string>()
  const stack = items.toReversed().map((item) => ({ item, left: false }))
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.left) ordered.add(next.item)
    else if (!entered.has(next.item.key)) {
      entered.add(next.item.key)
      stack.push({ item: next.item, left: true })
      for (const key of next.item.dependsOn) {
        const before = byKey.get(key)
        if (before !== undefined) stack.push({ item: before, left: false })
      }
    }
  }
  return [...ordered]
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

function lineOf(text: string, max: number): string {
  const line = text.replace(CONTROL, "").replace(/\s+/g, " ").trim()
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`
}

function proseOf(text: string, max: number): string {
  const prose = text.replace(CONTROL, "").replaceAll("\r\n", "\n").trim()
  return prose.length <= max ? prose : `${prose.slice(0, max - 1)}…`
}

function addressOf(url: string | null | undefined): string | null {
  const address = imports.ForeignItem.shape.url.safeParse(url)
  return address.success ? address.data : null
}

function dayOf(text: string | null | undefined): string | null {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text ?? "")?.[0] ?? shortDay(text ?? "")
  return imports.ForeignItem.shape.dueOn.safeParse(day).success ? day : null
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** `16/Nov/26 9:00 AM`, as Jira writes it. */
function shortDay(text: string): string | null {
  const [, day, month, year] = /^(\d{1,2})\/([A-Za-z]{3})\/(\d{2,4})/.exec(text) ?? []
  const at = MONTHS.indexOf((month ?? "").toLowerCase()) + 1
  if (day === undefined || year === undefined || at === 0) return null
  return `${year.padStart(4, "20")}-${String(at).padStart(2, "0")}-${day.padStart(2, "0")}`
}

function pointsOf(points: number | null | undefined): number | null {
  return imports.ForeignItem.shape.storyPoints.safeParse(points).data ?? null
}

function distinct(texts: readonly string[]): string[] {
  return [...new Map(texts.filter((text) => text !== "").map((text) => [text.toLowerCase(), text])).values()]
}
