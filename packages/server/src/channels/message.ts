import type { channels } from "@chorus/contracts"
import type { PushNotice } from "../push/notice.ts"

/** What is posted where, to say one thing in one kind of chat. */
export interface ChannelPost {
  readonly url: string
  readonly body: string
}

interface Destination {
  readonly kind: Exclude<channels.ChannelKind, "email">
  readonly address: string
  readonly chat: string | null
}

const TELEGRAM = "https://api.telegram.org"

/**
 * One notice in the form each service takes. What agents wrote is words there too: nothing in it becomes a mention, a
 * link or markup. The link leads to the page, where whoever answers has to be signed in.
 */
export function channelPost(
  { kind, address, chat }: Destination,
  notice: PushNotice,
  link: string,
  telegram: string = TELEGRAM,
): ChannelPost {
  const words = callingNobody([notice.title, notice.body].filter((text) => text !== "").join("\n"))
  if (kind === "slack") return json(address, { text: `${harmlessInSlack(words)}\n${link}` })
  if (kind === "telegram")
    return json(`${telegram}/bot${address}/sendMessage`, {
      chat_id: chat,
      text: `${words}\n${link}`,
      link_preview_options: { is_disabled: true },
    })
  const { origin, pathname } = new URL(address)
  const topic = decodeURIComponent(pathname.slice(1))
  const { title, body, mark } = notice
  // Of two with the same `sequence_id` the later takes the earlier one's place.
  return json(`${origin}/`, { topic, title, message: body || title, click: link, sequence_id: mark })
}

/** `@channel` and `@everyone` are mentions wherever they stand; what nobody sees between sign and name undoes that. */
function callingNobody(text: string): string {
  return text.replaceAll(/@(?=\w)/g, "@\u200b")
}

/** As plain words: `&`, `<` and `>` are how links and mentions are written there. */
function harmlessInSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

function json(url: string, body: object): ChannelPost {
  return { url, body: JSON.stringify(body) }
}
