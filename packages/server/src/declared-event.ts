import { ENTITY_ROWS, EVENT_KINDS, type EventDeclaration, type NewEvent } from "@chorus/contracts"
import { z } from "zod"

/** Refuses an event that, as it will be read back, does not carry what its kind declares, nothing less and nothing more. */
export function assertDeclared({ kind, entityType, action, patch }: NewEvent): void {
  const declared: EventDeclaration = EVENT_KINDS[kind]
  if (declared.entity !== entityType || !declared.actions.includes(action))
    throw new Error(`${kind} is not declared to be ${action} of ${entityType}`)
  const { error } = patchOf(declared, action).safeParse(JSON.parse(JSON.stringify(patch)))
  if (error !== undefined) throw new Error(`${kind} does not carry what it declares: ${error.message}`)
}

/** What comes is a whole row, what changes is a part of one. */
function patchOf({ entity, extra }: EventDeclaration, action: NewEvent["action"]): z.ZodObject {
  if (action === "deleted") return z.strictObject(extra)
  const row: z.ZodObject = ENTITY_ROWS[entity]
  return (action === "created" ? row : row.partial()).extend(extra).strict()
}
