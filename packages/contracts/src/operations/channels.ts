import { z } from "zod"
import { ChannelId, line, pageOutput, pagesOf, signature } from "../signature.ts"

/** Where a person can be called besides their browsers. */
export const ChannelKind = z.enum(["email", "slack", "ntfy", "telegram"])
export type ChannelKind = z.infer<typeof ChannelKind>

/**
 * A channel as its owner sees it; the address itself may let whoever knows it write there, so it is not shown again.
 */
export const ChannelRow = z.object({
  uuid: z.string(),
  kind: ChannelKind,
  /** Enough of the address to recognise it. */
  name: z.string(),
  createdAt: z.string(),
  lastSentAt: z.string().nullable(),
})
export type ChannelRow = z.infer<typeof ChannelRow>

export const listChannels = signature({
  name: "chorus_list_channels",
  does: "List where you are called besides your browsers.",
  needs: "person",
  kind: "read",
  tool: "none",
  input: z.object({ ...pagesOf(100) }),
  output: z.object({ channels: z.array(ChannelRow), ...pageOutput }),
})

export const addChannel = signature({
  name: "chorus_add_channel",
  does: "Be called by e-mail, in a chat or on a phone as well.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    kind: ChannelKind,
    /**
     * The incoming webhook of a chat, the address of an ntfy topic, or a bot's token; e-mail goes to your own address.
     */
    address: line(2000).optional(),
    /** For a bot: the chat it writes to. */
    chat: line(100).optional(),
    /** Whether it may be an address of this machine or a private network; for owners. */
    allowPrivate: z.boolean().default(false),
  }),
  output: ChannelRow,
})

export const removeChannel = signature({
  name: "chorus_remove_channel",
  does: "Be called there no more.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ channelUuid: ChannelId }),
  output: z.object({ uuid: z.string(), removed: z.literal(true) }),
})

export const tryChannel = signature({
  name: "chorus_try_channel",
  does: "Send yourself a message there, to see whether it arrives.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ channelUuid: ChannelId }),
  output: z.object({ uuid: z.string(), queued: z.literal(true) }),
})
