import { TeamPermissionMode } from "@chorus/contracts"
import { InvalidArgumentError } from "commander"

export const MODES = TeamPermissionMode.options.join(", ")

/** What a member may do, as somebody typed it. */
export function permissionMode(text: string): TeamPermissionMode {
  const parsed = TeamPermissionMode.safeParse(text)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`Use one of ${MODES}.`)
}
