import type { notifications } from "@chorus/contracts"
import { en } from "../i18n/en.ts"
import type { TextKey, Translate } from "../i18n/language.ts"

type Told = Pick<notifications.NotificationRow, "message" | "actorName" | "entityTitle">
type SaidKey = Extract<TextKey, `notifications.said.${string}`>

const SAID = (Object.keys(en) as TextKey[]).filter((key): key is SaidKey => key.startsWith("notifications.said."))

/**
 * What a notification says, in the reader's language. Its row keeps the English sentence, in which everything but the
 * words of people is known; one that no longer exists is shown as it was written.
 */
export function saidIn(text: Translate, { message, actorName: actor, entityTitle: title }: Told): string {
  for (const key of SAID) {
    const groups = sentence(en[key], { actor, title }).exec(message)?.groups
    if (groups === undefined) continue
    const { words, ...rest } = groups
    const said = text(key, { actor, title, ...rest })
    return words === undefined ? said + text("notifications.stop") : said + text("tasks.colon") + words
  }
  return message
}

/** Ends with a full stop, or with what somebody wrote. */
function sentence(template: string, known: Readonly<Record<string, string>>): RegExp {
  const parts = template.split(/\{(\w+)\}/).map((part, at) => {
    const literal = at % 2 === 0 ? part : known[part]
    return literal === undefined ? `(?<${part}>.+?)` : literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  })
  return new RegExp(`^${parts.join("")}(?:\\.?|:\\s(?<words>.*))$`, "s")
}
