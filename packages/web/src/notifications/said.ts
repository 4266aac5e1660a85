import type { notifications } from "@chorus/contracts"
import { filled, type Translate } from "../i18n/language.ts"
import { sentence } from "../i18n/reason.ts"
import { saidEn } from "../i18n/said.en.ts"
import type { Written } from "../i18n/written.ts"

type Told = Pick<notifications.NotificationRow, "message" | "actorName" | "entityTitle">

/** A full stop, or what somebody wrote. */
const END = "(?:\\.?|:\\s(?<words>.*))"

const SAID = Object.keys(saidEn) as (keyof typeof saidEn)[]

/**
 * What a notification says, in the reader's language. Its row keeps the English sentence, in which everything but the
 * words of people is known; one that no longer exists is shown as it was written.
 */
export function saidIn(
  text: Translate,
  written: Written | undefined,
  { message, actorName: actor, entityTitle: title }: Told,
): string {
  if (written === undefined) return message
  for (const key of SAID) {
    const groups = sentence(saidEn[key], { actor, title }, END).exec(message)?.groups
    if (groups === undefined) continue
    const { words, ...rest } = groups
    const said = filled(written[key], { actor, title, ...rest })
    return words === undefined ? said + text("notifications.stop") : said + text("tasks.colon") + words
  }
  return message
}
