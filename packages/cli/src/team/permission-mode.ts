import { TeamPermissionMode } from "@chorus/contracts"
import { Option } from "commander"

/** What a member may do. */
export function modeOption(does?: string): Option {
  return new Option("--mode <mode>", does).choices(TeamPermissionMode.options)
}
