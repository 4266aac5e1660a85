export const markdownZh = {
  "markdown.code": "代码",
  "markdown.codeIn": "{language} 代码",
  "markdown.diagram": "图表",
  "markdown.diagramFailed": "无法绘制此图表，以下是其源文本。",
}
