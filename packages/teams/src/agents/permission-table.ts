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

type Verdict = "allow" | "ask" | "deny"
/** One for everything, or by what is done: a path, or a command. Of several that match, OpenCode takes the last. */
type Rules = Verdict | Readonly<Record<string, Verdict>>

/** What a configuration of OpenCode allows: one verdict for all tools, or rules by tool. */
export type OpencodePermission = Verdict | Readonly<Record<string, Rules>>

export interface OpencodeTerms {
  readonly flags: readonly string[]
  /** Laid over the person's own configuration, which says the rest. */
  readonly permission: Readonly<Record<string, Rules>>
  /** The agent that the flags name. It gets the same terms, as its own would count for more. */
  readonly agent: string | undefined
}

/** What a member may do of which its person's configuration says nothing, or that it is to be asked about. */
const UNASKED: Partial<Record<TeamPermissionMode, Readonly<Record<"edit" | "bash", Verdict>>>> = {
  default: { edit: "ask", bash: "ask" },
  acceptEdits: { edit: "allow", bash: "ask" },
  delegate: { edit: "allow", bash: "ask" },
  dontAsk: { edit: "deny", bash: "deny" },
}

/** What a person has allowed or denied by their own configuration stays so. */
export function opencodeTerms(mode: TeamPermissionMode, reach: Reach, own: OpencodePermission = {}): OpencodeTerms {
  const least = mode === "plan" ? "look" : reach
  const agent = mode === "plan" ? "plan" : reach === "all" ? undefined : "build"
  const unasked = (tool: "edit" | "bash") => {
    const verdict = UNASKED[mode]?.[tool]
    return verdict === undefined ? {} : { [tool]: rulesOf(own, tool, verdict) }
  }
  return {
    flags: [
      ...(agent === undefined ? [] : ["--agent", agent]),
      // It lets through everything that is not denied, so it is for the one mode that means that.
      ...(mode === "bypassPermissions" ? ["--auto"] : []),
    ],
    permission: {
      ...(least === "all" || least === "edit" ? unasked("edit") : { edit: "deny" }),
      ...(least === "all" || least === "run" ? unasked("bash") : { bash: "deny" }),
      // Another agent would come with terms of its own.
      ...(least === "all" ? {} : { task: "deny" }),
    },
    agent,
  }
}

function rulesOf(own: OpencodePermission, tool: string, unasked: Verdict): Rules {
  const byTool: Exclude<OpencodePermission, Verdict> = typeof own === "string" ? { "*": own } : own
  const said = Object.entries(byTool)
    .filter(([of]) => of === "*" || of === tool)
    .flatMap(([, rules]): [string, Verdict][] => (typeof rules === "string" ? [["*", rules]] : Object.entries(rules)))
  let all = unasked
  let others: Record<string, Verdict> = {}
  for (const [what, verdict] of said) {
    const now = verdict === "ask" ? unasked : verdict
    if (what !== "*") others[what] = now
    else [all, others] = [now, {}]
  }
  return Object.keys(others).length === 0 ? all : { "*": all, ...others }
}
