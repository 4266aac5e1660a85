import { z } from "zod"
import { line } from "./signature.ts"
import { TeamConfig, TeamInboxEntry, TeamTask, TeamTaskStatus } from "./teams-files.ts"

/** What goes between the machines of one team. The server passes the body on and does not look into it. */
export const RelayItem = z.object({
  relay: z.enum(["letter", "ask", "answer", "state"]),
  team: line(200),
  /** Whose inbox a letter is for. */
  agent: line(200).optional(),
  /** The same each time that the same is sent: of several it is passed on once. */
  id: line(200),
  body: z.record(z.string(), z.unknown()),
})
export type RelayItem = z.infer<typeof RelayItem>

/** An item as another machine gets it; who sent it is the server's word. */
export const Relayed = z.object({ relay: RelayItem, from: z.string(), to: z.string() })
export type Relayed = z.infer<typeof Relayed>

export const RelayedLetter = z.object({ entry: TeamInboxEntry })

/** Roster and tasks as they are on the machine that hosts the team. */
export const RelayedState = z.object({ config: TeamConfig, tasks: z.array(TeamTask), ledByChorus: z.boolean() })
export type RelayedState = z.infer<typeof RelayedState>

const text = z.string().optional()
const ids = z.array(z.string()).readonly().optional()
const metadata = z.record(z.string(), z.unknown()).optional()
const rules = z.object({ several: z.boolean().optional() }).optional()

/** What only the machine that hosts a team changes; the others ask it to. */
export const TeamChange = z.discriminatedUnion("change", [
  z.object({ change: z.literal("look") }),
  z.object({ change: z.literal("join"), member: z.looseObject({ name: z.string(), color: text }) }),
  z.object({ change: z.literal("leave"), name: z.string() }),
  z.object({
    change: z.literal("createTask"),
    task: z.object({ subject: z.string(), description: z.string(), activeForm: text, metadata, blockedBy: ids }),
  }),
  z.object({
    change: z.literal("updateTask"),
    id: z.string(),
    patch: z.object({
      subject: text,
      description: text,
      activeForm: text,
      status: TeamTaskStatus.optional(),
      owner: z.string().nullish(),
      addBlocks: ids,
      addBlockedBy: ids,
      removeBlockedBy: ids,
      metadata,
    }),
  }),
  z.object({ change: z.literal("claimTask"), id: z.string(), agent: z.string(), rules }),
  z.object({ change: z.literal("claimNext"), agent: z.string(), rules }),
  z.object({ change: z.literal("releaseTasksOf"), agent: z.string() }),
])
export type TeamChange = z.infer<typeof TeamChange>

export const RelayedAsk = z.object({ ask: TeamChange })

/** What came of a change, with the state after it, so that whoever asked finds there what it is told. */
export const RelayedAnswer = z.object({
  result: z.unknown().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), next: text, status: z.number(), details: metadata })
    .optional(),
  state: RelayedState.optional(),
})
export type RelayedAnswer = z.infer<typeof RelayedAnswer>
