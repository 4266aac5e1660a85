export const writingEn = {
  "writing.completions": "Mentions and links",
  "writing.online": "online",
  "writing.attach": "Insert a file",
} as const
