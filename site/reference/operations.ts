import * as contracts from "@chorus/contracts"
import type { Signature } from "@chorus/contracts"
import type { FaultFinder } from "./faults.ts"
import { remarked } from "./remarks.ts"
import { type Field, fieldsOf, shapeFields, shapeNames, shapeType, typeOf } from "./shapes.ts"
import { anchorOf, GENERATED, table, words } from "./tables.ts"

type Remarks = ReadonlyMap<string, string>

/** The operations of one noun: one page. */
interface Chapter {
  readonly noun: string
  readonly file: string
  readonly title: string
  readonly entries: readonly { readonly name: string; readonly signature: Signature }[]
}

const NEEDS = {
  nobody: "nothing: open to all",
  anyone: "any key or signed-in person",
  person: "a signed-in person (no viewer, no agent)",
  steward: "an owner or admin",
} as const

/** The index of all operations and a page for each noun, by file name under `operations/`. */
export function operationPages(faults: FaultFinder, remarks: Remarks): Map<string, string> {
  const chapters = chaptersOf()
  const pages = new Map(
    chapters.map((chapter) => [`operations/${chapter.file}.md`, chapterPage(chapter, faults, remarks)]),
  )
  pages.set("operations/index.md", indexPage(chapters))
  pages.set("shapes.md", shapesPage(remarks))
  return pages
}

/** Which page tells of an operation, for the other references to point to. */
export function operationPlaces(): Map<string, string> {
  return new Map(
    chaptersOf().flatMap(({ file, entries }) =>
      entries.map(({ signature }): [string, string] => [
        signature.name,
        `operations/${file}.md#${anchorOf(signature.name)}`,
      ]),
    ),
  )
}

function chaptersOf(): Chapter[] {
  const listed = new Set<unknown>(contracts.signatures)
  return Object.entries(contracts)
    .flatMap(([noun, members]): Chapter[] => {
      if (Object.prototype.toString.call(members) !== "[object Module]") return []
      const entries = Object.entries(members as object)
        .filter(([, value]) => listed.has(value))
        .map(([name, value]) => ({ name, signature: value as Signature }))
      return entries.length === 0
        ? []
        : [
            {
              noun,
              file: noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
              title: titleOf(noun),
              entries,
            },
          ]
    })
    .sort((a, b) => a.title.localeCompare(b.title))
}

function titleOf(noun: string): string {
  const words = noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function indexPage(chapters: readonly Chapter[]): string {
  const count = chapters.reduce((sum, { entries }) => sum + entries.length, 0)
  const sections = chapters.map(({ title, file, entries }) => {
    const rows = entries.map(({ signature }) => [
      `[\`${signature.name}\`](${file}.md#${anchorOf(signature.name)})`,
      signature.kind,
      `\`${signature.needs}\``,
      words(signature.does),
    ])
    return `## ${title}\n\n${table(["operation", "", "needs", "what it does"], rows)}`
  })
  return `${GENERATED}# Operations

Everything the platform can do: ${count} operations. Each is \`POST /api/v1/<operation>\` with a JSON body (reads also answer \`GET\` with query
parameters), \`chorus call <operation> '<json>'\` on the command line, and an [MCP tool](../tools.md) where that says so. A running server shows the same at
\`/api/docs\` and as OpenAPI 3.1 at \`/api/openapi.json\`.

Who may call: a permission such as \`task:write\`, or ${Object.entries(NEEDS)
    .map(([need, says]) => `\`${need}\` (${says})`)
    .join(", ")}.

Any of them can be refused with \`unauthenticated\` (401), \`forbidden\` (403), \`invalid_input\` (400), \`not_found\` (404, also for what lies beyond the
caller's reach) and, where a write carries an \`Idempotency-Key\` that was used for something else, \`idempotency_conflict\`. [Errors](../errors.md) has every code.

${sections.join("\n\n")}
`
}

function chapterPage(chapter: Chapter, faults: FaultFinder, remarks: Remarks): string {
  const sections = chapter.entries.map(({ name, signature }) =>
    operationSection(name, signature, faults.of(chapter.noun, name), remarks),
  )
  return `${GENERATED}# ${chapter.title}: operations\n\n[All operations](index.md)\n\n${sections.join("\n\n")}\n`
}

function operationSection(name: string, signature: Signature, codes: readonly string[], remarks: Remarks): string {
  const verbs = signature.kind === "read" ? "`GET` or `POST`" : "`POST`"
  const facts = [
    `${verbs} \`/api/v1/${signature.name}\``,
    `needs \`${signature.needs}\``,
    { listed: "MCP tool", hidden: "MCP tool, not in the list", none: "no MCP tool" }[signature.tool],
    ...(signature.aliases?.length
      ? [`also called ${signature.aliases.map((alias) => `\`${alias}\``).join(", ")}`]
      : []),
  ]
  const refused =
    codes.length === 0
      ? ""
      : `\n\nRefused with ${codes.map((code) => `[\`${code}\`](../errors.md#${code})`).join(", ")}.`
  return `## ${signature.name}

${words(signature.does)}

${facts.join(" · ")}

**Input**

${fieldTable(remarked(name, fieldsOf(signature.input, "input"), remarks), "Nothing.", "../shapes.md")}

**Answer**

${answerText(name, signature, remarks)}${refused}`
}

function answerText(name: string, signature: Signature, remarks: Remarks): string {
  const whole = typeOf(signature.output, "output")
  if (shapeNames().includes(whole)) return linked(whole, "../shapes.md")
  return fieldTable(
    remarked(name, fieldsOf(signature.output, "output"), remarks),
    linked(whole, "../shapes.md"),
    "../shapes.md",
  )
}

function shapesPage(remarks: Remarks): string {
  const sections = shapeNames().map((name) => {
    const says = remarks.get(name)
    return `## ${name}\n\n${says === undefined ? "" : `${words(says)}\n\n`}${fieldTable(remarked(name, shapeFields(name), remarks), linked(shapeType(name), ""), "")}`
  })
  return `${GENERATED}# Shapes\n\nThe shapes that several operations, events and files share. A list row is also the shape of an event's \`patch\` for that entity.\n\n${sections.join("\n\n")}\n`
}

function fieldTable(fields: readonly Field[], otherwise: string, shapes: string): string {
  if (fields.length === 0) return otherwise
  return table(
    ["field", "type", "", "notes"],
    fields.map(({ path, type, required, note }) => [
      `\`${path}\``,
      linked(type, shapes),
      required ? "" : "optional",
      words(note),
    ]),
  )
}

/** Names of shapes in a type become links. */
function linked(type: string, shapes: string): string {
  const known = new Set(shapeNames())
  return type.replace(/`[^`]*`|\b[A-Z]\w+\b/g, (word) =>
    known.has(word) ? `[${word}](${shapes}#${anchorOf(word)})` : word,
  )
}
