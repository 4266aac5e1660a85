const KEYWORDS =
  "const|let|function|return|import|export|from|await|async|new|for|of|if|throw|type|interface|class|true|false|null|undefined"

/** What is coloured in each language, first match wins. */
const RULES: Readonly<Record<string, readonly (readonly [kind: string, pattern: string])[]>> = {
  sh: [
    ["comment", String.raw`(?<=^|\s)#[^\n]*`],
    ["string", String.raw`"(?:[^"\\]|\\.)*"|'[^']*'`],
    ["option", String.raw`(?<=\s)--?[a-z][\w-]*`],
    ["name", String.raw`(?<=^|[|&;]\s*|\$\()(?:chorus|npm|npx|node|curl|claude|codex|opencode|eval|export|cat|git)\b`],
    ["variable", String.raw`\$\w+|\b[A-Z][A-Z_]{2,}(?==)`],
  ],
  json: [
    ["name", String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`],
    ["string", String.raw`"(?:[^"\\]|\\.)*"`],
    ["option", String.raw`\b(?:true|false|null|-?\d[\d.eE+-]*)\b`],
  ],
  ts: [
    ["comment", String.raw`//[^\n]*|/\*[\s\S]*?\*/`],
    ["string", '"(?:[^"\\\\]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`'],
    ["option", `\\b(?:${KEYWORDS})\\b`],
  ],
}
const SAME: Readonly<Record<string, string>> = { bash: "sh", shell: "sh", js: "ts", mjs: "ts", jsonc: "json" }

/** Code as HTML, coloured where the language is known. */
export function highlight(code: string, language: string): string {
  const rules = RULES[SAME[language] ?? language]
  if (rules === undefined) return escapeHtml(code)
  const pattern = new RegExp(rules.map(([kind, pattern], index) => `(?<${kind}${index}>${pattern})`).join("|"), "gm")
  let html = ""
  let done = 0
  for (const match of code.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {})
      .find(([, text]) => text !== undefined)?.[0]
      .replace(/\d+$/, "")
    html += `${escapeHtml(code.slice(done, match.index))}<span class="code-${kind ?? ""}">${escapeHtml(match[0])}</span>`
    done = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(done))
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
