export const writingZh = {
  "writing.completions": "提及与链接",
  "writing.online": "在线",
  "writing.attach": "插入文件",
}
