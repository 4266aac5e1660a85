const SAFE = new Set(["http:", "https:", "mailto:"])

/** The address if a person may follow it, else undefined. Text from agents never leads to a script or into a program. */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href.trim())
  return url !== null && SAFE.has(url.protocol) ? url.href : undefined
}

export interface Mentioned {
  readonly type: "user" | "agent"
  readonly uuid: string
}

/** Who `@[Name](user:uuid)` means; the link part of it alone. */
export function mentionedBy(href: string): Mentioned | undefined {
  const match = /^(user|agent):([0-9a-f-]{36})$/i.exec(href)
  if (match?.[2] === undefined) return undefined
  return { type: match[1]?.toLowerCase() === "agent" ? "agent" : "user", uuid: match[2] }
}

export interface OwnThing {
  readonly kind: "task" | "idea" | "proposal" | "document" | "attachment"
  readonly uuid: string
}

/** What of this workspace a link such as `document:uuid` leads to. */
export function ownThing(href: string): OwnThing | undefined {
  const match = /^(task|idea|proposal|document|attachment):([0-9a-f-]{36})$/.exec(href)
  if (match?.[2] === undefined) return undefined
  return { kind: match[1] as OwnThing["kind"], uuid: match[2] }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
}

/** Character references as the characters they stand for; what is not known stays as written. */
export function plainText(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
      return code > 31 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : whole
    },
  )
}
