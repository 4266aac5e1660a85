import type { markdownEn } from "./markdown.en.ts"

export const markdownZh: Record<keyof typeof markdownEn, string> = {
  "markdown.code": "代码",
  "markdown.codeIn": "{language} 代码",
  "markdown.diagram": "图表",
  "markdown.diagramFailed": "无法绘制此图表，以下是其源文本。",
}
