import { channels, ChorusError, type ParsedInputOf } from "@chorus/contracts"
import { hostReach } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { mailerOf } from "../../channels/mailer.ts"
import { channelLane } from "../../channels/sender.ts"
import { closeLane, enqueue } from "../../deliveries/outbox.ts"
import { type Actor, notFound, operation, readPage } from "../../operation.ts"
import { assertMayReachInside } from "../webhooks/inside.ts"

type Given = ParsedInputOf<typeof channels.addChannel>

const MOST_CHANNELS = 20

export const listChannels = operation(channels.listChannels, async ({ db, actor }, input) => {
  const own = db.selectFrom("channels").where("userUuid", "=", actor.uuid)
  const { rows, page } = await readPage(own.selectAll().orderBy("createdAt").orderBy("uuid"), input)
  return { channels: rows.map(channelRow), ...page }
})

export const addChannel = operation(channels.addChannel, async ({ db, actor, now, newId }, given) => {
  if (given.allowPrivate) assertMayReachInside(actor)
  const known = await db.selectFrom("channels").select("uuid").where("userUuid", "=", actor.uuid).execute()
  if (known.length >= MOST_CHANNELS)
    throw new ChorusError("too_many_channels", `You are called in ${MOST_CHANNELS} places already.`, {
      status: 409,
      next: "Remove one first.",
    })
  const row = await db
    .insertInto("channels")
    .values({
      uuid: newId(),
      userUuid: actor.uuid,
      kind: given.kind,
      ...(await destinationOf(db, actor, given)),
      allowPrivate: given.allowPrivate ? 1 : 0,
      createdAt: now,
      lastSentAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return channelRow(row)
})

export const removeChannel = operation(channels.removeChannel, async ({ db, actor }, { channelUuid }) => {
  const { uuid } = await ownChannel(db, actor, channelUuid)
  await db.deleteFrom("channels").where("uuid", "=", uuid).execute()
  await closeLane({ db }, channelLane(uuid))
  return { uuid, removed: true as const }
})

export const tryChannel = operation(channels.tryChannel, async (context, { channelUuid }) => {
  const { actor, db, now } = context
  const { uuid } = await ownChannel(db, actor, channelUuid)
  const title = "Chorus can reach you here."
  await enqueue(context, {
    workspaceUuid: actor.workspaceUuid,
    kind: "call",
    lane: channelLane(uuid),
    title,
    payload: { tag: `try:${uuid}`, title, body: `${actor.name} asked for this message.`, path: "/settings", at: now },
    byUuid: actor.uuid,
  })
  return { uuid, queued: true as const }
})

async function ownChannel(db: Db, actor: Actor, uuid: string): Promise<Schema["channels"]> {
  const row = await db
    .selectFrom("channels")
    .selectAll()
    .where("uuid", "=", uuid)
    .where("userUuid", "=", actor.uuid)
    .executeTakeFirst()
  if (row === undefined) throw notFound("channel", uuid)
  return row
}

/** What the service needs to know; e-mail goes to the person's own address, so that nobody has others written to. */
async function destinationOf(
  db: Db,
  actor: Actor,
  { kind, address = "", chat, allowPrivate }: Given,
): Promise<Pick<Schema["channels"], "address" | "chat">> {
  if (kind === "email") {
    if (mailerOf(process.env) === undefined)
      throw unusable("This server sends no e-mail.", "Whoever runs it can set CHORUS_SMTP_URL.")
    const person = await db.selectFrom("users").select("email").where("uuid", "=", actor.uuid).executeTakeFirst()
    if (!person?.email) throw unusable("You have no e-mail address here.", "Write it into your profile first.")
    return { address: person.email, chat: null }
  }
  if (kind === "telegram") {
    if (!/^\d+:[\w-]{20,}$/.test(address))
      throw unusable("That is no token of a bot.", "BotFather shows it: 123456:ABC….")
    if (chat === undefined || !/^(-?\d+|@\w+)$/.test(chat))
      throw unusable("That is no chat.", "Give the number of the chat, or @name of a channel.")
    return { address, chat }
  }
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw unusable("That is no http or https address.", "Give the whole address, without a name or password in it.")
  if (kind === "ntfy" && !/^\/[\w-]{1,64}$/.test(url.pathname))
    throw unusable("That is no topic.", "Give the server with the topic: https://ntfy.sh/my-topic.")
  // What a name stands for shows when it is called.
  if (!allowPrivate && !["public", "named"].includes(hostReach(url.hostname)))
    throw unusable(
      `${url.hostname} is on a private network, where Chorus calls nobody unasked.`,
      "Say that it may, with “It is on a private network” (allowPrivate), which takes an owner; or use a public address.",
    )
  return { address: url.href, chat: null }
}

function unusable(message: string, next: string): ChorusError {
  return new ChorusError("channel_invalid", message, { next })
}

function channelRow({ uuid, kind, address, chat, createdAt, lastSentAt }: Schema["channels"]): channels.ChannelRow {
  return { uuid, kind, name: nameOf(kind, address, chat), createdAt, lastSentAt }
}

export function nameOf(kind: channels.ChannelKind, address: string, chat: string | null): string {
  if (kind === "email") return address
  if (kind === "telegram") return `Telegram ${chat ?? ""}`
  const { host, pathname } = new URL(address)
  // Whoever knows a topic can write to it and read along.
  return kind === "ntfy" ? `${host}${pathname.slice(0, 4)}…` : host
}
