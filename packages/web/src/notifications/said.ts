import type { notifications } from "@chorus/contracts"
import { en } from "../i18n/en.ts"
import type { TextKey, Translate } from "../i18n/language.ts"
import { sentence } from "../i18n/reason.ts"

type Told = Pick<notifications.NotificationRow, "message" | "actorName" | "entityTitle">
type SaidKey = Extract<TextKey, `notifications.said.${string}`>

/** A full stop, or what somebody wrote. */
const END = "(?:\\.?|:\\s(?<words>.*))"

const SAID = (Object.keys(en) as TextKey[]).filter((key): key is SaidKey => key.startsWith("notifications.said."))

/**
 * What a notification says, in the reader's language. Its row keeps the English sentence, in which everything but the
 * words of people is known; one that no longer exists is shown as it was written.
 */
export function saidIn(text: Translate, { message, actorName: actor, entityTitle: title }: Told): string {
  for (const key of SAID) {
    const groups = sentence(en[key], { actor, title }, END).exec(message)?.groups
    if (groups === undefined) continue
    const { words, ...rest } = groups
    const said = text(key, { actor, title, ...rest })
    return words === undefined ? said + text("notifications.stop") : said + text("tasks.colon") + words
  }
  return message
}
