import { z } from "zod"
import type { Registry } from "../registry.ts"

/** `/api/docs`: every operation on one page to browse and search with the browser; no script. */
export function apiPage(registry: Registry): string {
  const sections = registry.signatures().map(
    (
      signature,
    ) => `<details id="${signature.name}"><summary><code>${signature.name}</code> <span>${escape(signature.does)}</span></summary>
<p><b>${signature.kind}</b> · needs <code>${signature.needs}</code> · <code>POST /api/v1/${signature.name}</code></p>
<h3>Input</h3><pre>${schemaText(signature.input, "input")}</pre><h3>Answer</h3><pre>${schemaText(signature.output, "output")}</pre></details>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Chorus API</title>
<link rel="stylesheet" href="/api/docs.css"><main><h1>Chorus API</h1>
<p>${sections.length} operations. Machine-readable: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>${sections.join("\n")}</main></html>`
}

export const API_PAGE_STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:60rem;margin:2rem auto;padding:0 1rem}
details{border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent);padding:.5rem 0}summary{cursor:pointer}summary span{opacity:.7}
pre{overflow:auto;padding:.75rem;background:color-mix(in srgb,currentColor 6%,transparent);border-radius:.5rem;font-size:13px}h3{font-size:14px;margin:.75rem 0 .25rem}`

function schemaText(schema: z.ZodType, io: "input" | "output"): string {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" })
  return escape(JSON.stringify(rest, null, 2))
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
