import type { Received } from "../files/index.ts"

/** The messages as one prompt. Each is enclosed and names its sender, so that words in it cannot pass for anything else. */
export function framed(messages: readonly Received[]): string {
  return messages.map(frame).join("\n\n")
}

function frame({ entry }: Received): string {
  const summary = entry.summary === undefined ? "" : ` summary="${attribute(entry.summary)}"`
  const text = entry.text.replaceAll(/<(\/?)teammate-message/gi, "&lt;$1teammate-message")
  return `<teammate-message teammate_id="${attribute(entry.from)}"${summary}>\n${text}\n</teammate-message>`
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ")
}
