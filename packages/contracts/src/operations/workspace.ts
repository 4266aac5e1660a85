import { z } from "zod"
import { ActorKind, line, pageInput, pageOutput, signature } from "../signature.ts"
import { LogEvent } from "../event.ts"
import { Permission, Role } from "../permission.ts"

const Nothing = z.object({})

export const health = signature({
  name: "chorus_health",
  does: "Say whether the server and its store answer.",
  needs: "nobody",
  kind: "read",
  tool: "none",
  input: Nothing,
  output: z.object({
    status: z.literal("ok"),
    version: z.string(),
    engine: z.enum(["sqlite", "postgres"]),
    schema: z.number().int(),
  }),
})

export const version = signature({
  name: "chorus_version",
  does: "Say which version of Chorus answers.",
  needs: "nobody",
  kind: "read",
  tool: "none",
  input: Nothing,
  output: z.object({ version: z.string(), node: z.string(), mcp: z.array(z.string()) }),
})

export const whoami = signature({
  name: "chorus_whoami",
  does: "Say who you are here and what you may do.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: Nothing,
  output: z.object({
    type: ActorKind,
    uuid: z.string(),
    name: z.string(),
    role: Role.nullable(),
    workspaceUuid: z.string(),
    permissions: z.array(Permission),
    projectUuids: z.array(z.string()).nullable(),
  }),
})

export const listEvents = signature({
  name: "chorus_list_events",
  does: "Read the event log, newest first; the audit trail of everything that changed.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({
    projectUuid: z.uuid().optional(),
    kind: line(64).optional(),
    entityUuid: z.uuid().optional(),
    before: z.coerce.number().int().optional(),
    limit: pageInput.pageSize,
  }),
  output: z.object({ events: z.array(LogEvent), last: z.number().int() }),
})

export const listMembers = signature({
  name: "chorus_list_members",
  does: "List the people of this workspace.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object(pageInput),
  output: z.object({
    members: z.array(
      z.object({
        uuid: z.string(),
        name: z.string(),
        email: z.string().nullable(),
        role: Role,
        createdAt: z.string(),
        disabledAt: z.string().nullable(),
      }),
    ),
    ...pageOutput,
  }),
})
