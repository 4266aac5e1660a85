export const markdownEn = {
  "markdown.code": "Code",
  "markdown.codeIn": "Code in {language}",
  "markdown.diagram": "Diagram",
  "markdown.diagramFailed": "This diagram could not be drawn; here is its text.",
} as const
