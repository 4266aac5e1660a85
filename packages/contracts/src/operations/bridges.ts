import { z } from "zod"
import { line, pageInput, pageOutput, ProjectId, signature } from "../signature.ts"
import { WebAddress } from "./references.ts"

const bridgeUuid = z.uuid()

/** A project that is kept in step with the issues of a repository. */
export const BridgeRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  /** `github:octo/shop` */
  origin: z.string(),
  api: z.string(),
  allowPrivate: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type BridgeRow = z.infer<typeof BridgeRow>

export const createBridge = signature({
  name: "chorus_create_bridge",
  does: "Keep a project and a repository's issues in step. Again for the same two, it renews token and secret.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    origin: line(200).regex(
      /^(github|gitlab):\w[\w.-]*(\/\w[\w.-]*)+$/,
      "must be github:OWNER/NAME or gitlab:GROUP/NAME",
    ),
    /** What the tracker gave you: it may read and write the issues of this repository, and nothing else. */
    token: z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be one word"),
    /** Where the API of a server of your own is. */
    api: WebAddress.optional(),
    /** Whether that may be an address of this machine or a private network; for owners. */
    allowPrivate: z.boolean().default(false),
  }),
  /** `path` is where the tracker's webhook has to lead, and `secret` what it has to know; shown only in this answer. */
  output: BridgeRow.extend({ secret: z.string(), path: z.string() }),
})

export const deleteBridge = signature({
  name: "chorus_delete_bridge",
  does: "Take a bridge down; tasks and issues stay as they are.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({ bridgeUuid }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})

export const listBridges = signature({
  name: "chorus_list_bridges",
  does: "List which projects are kept in step with which repositories.",
  needs: "steward",
  kind: "read",
  tool: "none",
  input: z.object(pageInput),
  output: z.object({ bridges: z.array(BridgeRow), ...pageOutput }),
})
