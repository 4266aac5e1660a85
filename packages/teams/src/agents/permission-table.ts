import type { TeamPermissionMode } from "@chorus/contracts"

/**
 * What a member's type lets it do: change files with its tools, run commands, both, or neither. A type binds in every mode;
 * a mode only says what happens unasked.
 */
export type Reach = "all" | "edit" | "run" | "look"

const EDITING = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
const RUNNING = ["Bash"]

export function reachOf(type: {
  /** Left out: all tools. */
  readonly onlyTools?: readonly string[] | undefined
  readonly disallowedTools?: readonly string[] | undefined
}): Reach {
  const has = (tool: string) =>
    type.onlyTools?.some((one) => one.split("(")[0] === tool) !== false && type.disallowedTools?.includes(tool) !== true
  const edits = EDITING.some(has)
  const runs = RUNNING.some(has)
  if (edits) return runs ? "all" : "edit"
  return runs ? "run" : "look"
}

/** Claude Code without a terminal; its type is the list of tools it is started with. */
export function claudeFlags(mode: TeamPermissionMode): string[] {
  if (mode === "bypassPermissions") return ["--dangerously-skip-permissions"]
  return ["--permission-mode", mode === "delegate" ? "acceptEdits" : mode]
}

/** Claude Code in a pane. `plan` is about approval and stands beside the lead's own freedom. */
export function claudePaneFlags(mode: TeamPermissionMode | undefined, leadSkipsPermissions = false): string[] {
  const inherited = leadSkipsPermissions ? ["--dangerously-skip-permissions"] : []
  if (mode === undefined || mode === "default") return inherited
  return mode === "plan" ? ["--plan-mode-required", ...inherited] : claudeFlags(mode)
}

/** The tools a pane must not have. Naming those it may have would take the team's own tools away from it. */
export function toolsBeyond(reach: Reach): string[] {
  return [
    ...(reach === "run" || reach === "look" ? EDITING : []),
    ...(reach === "edit" || reach === "look" ? RUNNING : []),
  ]
}

/** Codex has one wall for commands and edits alike, so a type that has either may write in its folder, and none may leave it. */
export function codexFlags(mode: TeamPermissionMode, reach: Reach): string[] {
  if (mode === "plan" || reach === "look") return ["-c", 'sandbox_mode="read-only"']
  if (mode === "bypassPermissions" && reach === "all") return ["--dangerously-bypass-approvals-and-sandbox"]
  return ["-c", 'sandbox_mode="workspace-write"']
}

export interface OpencodeTerms {
  readonly flags: readonly string[]
  /** Laid over the person's own configuration, which says the rest; without a terminal what it would ask is refused. */
  readonly permission: Readonly<Record<string, "allow" | "deny">>
  /** The agent that the flags name. It gets the same terms, as its own would count for more. */
  readonly agent: string | undefined
}

export function opencodeTerms(mode: TeamPermissionMode, reach: Reach): OpencodeTerms {
  const least = mode === "plan" ? "look" : reach
  const agent = mode === "plan" ? "plan" : reach === "all" ? undefined : "build"
  const edits = least === "all" || least === "edit"
  return {
    flags: [
      ...(agent === undefined ? [] : ["--agent", agent]),
      // It lets through everything that is not denied, so it is for the one mode that means that.
      ...(mode === "bypassPermissions" ? ["--auto"] : []),
    ],
    permission: {
      ...(edits ? {} : { edit: "deny" }),
      ...(edits && (mode === "acceptEdits" || mode === "delegate") ? { edit: "allow" } : {}),
      ...(least === "edit" || least === "look" ? { bash: "deny" } : {}),
      // Another agent would come with terms of its own.
      ...(least === "all" ? {} : { task: "deny" }),
    },
    agent,
  }
}
