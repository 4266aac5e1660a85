import { z } from "zod"
import { line, pageInput, pageOutput, pagesOf, prose, signature } from "../signature.ts"
import { TeamMemberState } from "../teams-facts.ts"
import { TeamTask } from "../teams-files.ts"
import { RelayItem } from "../teams-relay.ts"
import { LandingHow } from "./landings.ts"

export const TeamMemberRow = z.object({
  name: z.string(),
  state: TeamMemberState,
  lead: z.boolean(),
  agentType: z.string().nullable(),
  model: z.string().nullable(),
  color: z.string().nullable(),
  leftAt: z.string().nullable(),
  /** What its agent said or did last, and when; known of members that Chorus hosts. */
  lastLine: z.string().nullable(),
  lastAt: z.string().nullable(),
  costUsd: z.number().nullable(),
  tokens: z.number().nullable(),
  /** Of its own checkout, where it has one. */
  branch: z.string().nullable(),
})
export type TeamMemberRow = z.infer<typeof TeamMemberRow>

export const TeamMessageRow = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  kind: z.string(),
  text: z.string(),
  summary: z.string().nullable(),
  sentAt: z.string(),
})
export type TeamMessageRow = z.infer<typeof TeamMessageRow>

/** A task of a team's own list, and the tasks of the platform it names. */
export const TeamTaskRow = z.object({ task: TeamTask, taskUuids: z.array(z.string()) })
export type TeamTaskRow = z.infer<typeof TeamTaskRow>

/** A team of agents somewhere, and what `team.*` events patch. */
export const TeamRow = z.object({
  uuid: z.string(),
  name: z.string(),
  machineUuid: z.string(),
  machine: z.string(),
  era: z.string(),
  description: z.string().nullable(),
  ledByChorus: z.boolean(),
  createdAt: z.string(),
  lastFactAt: z.string(),
  goneAt: z.string().nullable(),
})
export type TeamRow = z.infer<typeof TeamRow>

export const listTeams = signature({
  name: "chorus_list_teams",
  does: "List the teams of agents on all machines, newest first.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({ includeGone: z.boolean().default(false), ...pagesOf(200, 200) }),
  output: z.object({ teams: z.array(TeamRow.extend({ members: z.array(TeamMemberRow) })), ...pageOutput }),
})

export const getTeam = signature({
  name: "chorus_get_team",
  does: "Look into one team: members, latest messages, task graph with links to platform tasks.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({ teamUuid: z.uuid(), messages: pageInput.pageSize }),
  output: TeamRow.extend({
    members: z.array(TeamMemberRow),
    messages: z.array(TeamMessageRow),
    tasks: z.array(TeamTaskRow),
    orders: z.array(
      z.object({
        uuid: z.string(),
        what: z.string(),
        /** Who gave it. */
        by: z.string(),
        to: z.string(),
        createdAt: z.string(),
        deliveredAt: z.string().nullable(),
        error: z.string().nullable(),
        /** What to do about the error; of what was carried out, what came of it. */
        next: z.string().nullable(),
      }),
    ),
  }),
})

export const writeToMember = signature({
  name: "chorus_write_to_member",
  does: "Write to a member of a team; delivered by the companion on its machine.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ teamUuid: z.uuid(), to: line(200), text: prose(20_000).min(1) }),
  output: z.object({ orderUuid: z.string() }),
})

export const askShutdown = signature({
  name: "chorus_ask_shutdown",
  does: "Ask a member of a team to shut down in good order.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ teamUuid: z.uuid(), member: line(200), reason: prose(2000).optional() }),
  output: z.object({ orderUuid: z.string() }),
})

export const landMember = signature({
  name: "chorus_land_member",
  does: "Bring the branch of a team's member into the one it was begun from; done by the companion on its machine.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ teamUuid: z.uuid(), member: line(200), how: LandingHow.default("merge") }),
  output: z.object({ orderUuid: z.string() }),
})

export const relayTeam = signature({
  name: "chorus_relay_team",
  does: "Pass what a team on several machines says and changes on to another machine of the same person.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({
    machine: line(120),
    /** The other machine, by name or id. */
    to: line(120),
    parts: z.array(RelayItem).min(1).max(100),
  }),
  output: z.object({ toUuid: z.string() }),
})
