import { z } from "zod"
import { ActorRef, CriterionId, line, prose, signature, TaskId } from "../signature.ts"
import { RepositoryIdentity } from "../repository-identity.ts"
import { withColoursOnly } from "./criteria.ts"

/** `not_run` says in `reason` why there is no result. */
export const CheckState = z.enum(["queued", "running", "passed", "failed", "not_run"])
export type CheckState = z.infer<typeof CheckState>

/** Whose word a result is: Chorus ran it, a person had it run in a checkout of theirs, an agent did. */
export const CheckSource = z.enum(["chorus", "person", "agent"])
export type CheckSource = z.infer<typeof CheckSource>

/** A command run on a task's work, as `check.changed` events carry it. */
export const CheckRow = z.object({
  uuid: z.string(),
  taskUuid: z.string(),
  /** The criterion it proves; none for a check of the project's. */
  criterionUuid: z.string().nullable(),
  name: z.string(),
  command: z.string(),
  state: CheckState,
  exitCode: z.number().int().nullable(),
  /** Why it ended otherwise than by itself, or was not run. */
  reason: z.string().nullable(),
  durationMs: z.number().int().nullable(),
  /** The last of what it printed, and how many bytes that was altogether. */
  tail: z.string(),
  outputBytes: z.number().int(),
  /** What it runs and the work itself changed: such a result proves nothing. */
  touched: z.array(z.string()),
  source: CheckSource,
  by: ActorRef.nullable(),
  machine: z.string().nullable(),
  environment: z.string().nullable(),
  /** What git calls the tree that it ran in. */
  tree: z.string().nullable(),
  /** The version of the change that is this tree; none where it is no version's. */
  version: z.number().int().nullable(),
  /** The work is another by now, so that it counts as not checked. */
  outdated: z.boolean(),
  runUuid: z.string().nullable(),
  /** With which hand-in it goes. */
  handIn: z.number().int(),
  /** Of a preview, which proves nothing: where on its machine it listens, and whether the server runs there too. */
  preview: z.object({ port: z.number().int().nullable(), near: z.boolean() }).nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type CheckRow = z.infer<typeof CheckRow>

/** What can be checked by a command, and whether a person has approved that. */
export const Checkable = z.object({
  criterionUuid: z.string().nullable(),
  name: z.string(),
  command: z.string(),
  approved: z.boolean(),
})
export type Checkable = z.infer<typeof Checkable>

/** What was built, to be started for a person who wants to try it: the project's command, and how it last went. */
export const Preview = z.object({
  command: z.string(),
  latest: CheckRow.nullable(),
  /** Why it cannot be started now; null where it can. */
  obstacle: z.string().nullable(),
})
export type Preview = z.infer<typeof Preview>

export const MOST_OUTPUT = 100_000
export const TAIL = 2000

const output = z.string().max(MOST_OUTPUT).overwrite(withColoursOnly).default("")
const result = {
  exitCode: z.number().int().min(0).max(255).nullable(),
  reason: prose(500).nullable(),
  durationMs: z.number().int().min(0),
  output,
  outputBytes: z.number().int().min(0),
  touched: z.array(prose(4096)).max(100),
  environment: line(200),
  tree: line(64).nullable(),
}

export const getChecks = signature({
  name: "chorus_get_checks",
  does: "Get what was checked on a task by running commands, newest first, and what can be; one check with its output.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ taskUuid: TaskId, checkUuid: z.uuid().optional() }),
  output: z.object({
    checks: z.array(CheckRow),
    /** Of the check that was asked for. */
    output: z.string().nullable(),
    checkable: z.array(Checkable),
    /** Why no machine can be asked to run them; null where one can. */
    obstacle: z.string().nullable(),
    /** Null where the project names no command for it. */
    preview: Preview.nullable(),
  }),
})

export const runChecks = signature({
  name: "chorus_run_checks",
  does: "Have a task's checks run again by the machine that has its work, all or one of them.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ taskUuid: TaskId, command: line(2000).optional() }),
  output: z.object({ checks: z.array(CheckRow) }),
})

export const approveCheck = signature({
  name: "chorus_approve_check",
  does: "Approve the command of a criterion, so that machines which allow checks may run it.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid: TaskId, criterionUuid: CriterionId, command: line(2000) }),
  output: z.object({ checkable: z.array(Checkable) }),
})

export const startPreview = signature({
  name: "chorus_start_preview",
  does: "Start what was built on the machine that has it, by the project's command, so that a person can try it.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid: TaskId }),
  output: CheckRow,
})

export const stopPreview = signature({
  name: "chorus_stop_preview",
  does: "End the preview of a task's work, with everything it started.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid: TaskId }),
  output: CheckRow,
})

export const leaseCheck = signature({
  name: "chorus_lease_check",
  does: "Take the next check or preview that waits for this machine, and hear which of its previews are to end.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({
    machine: line(120),
    /** What there is room for. */
    kinds: z.array(z.enum(["check", "preview"])).default(["check"]),
    /** The previews that run there. */
    previews: z.array(z.uuid()).max(64).default([]),
  }),
  output: z.object({
    check: z
      .object({
        uuid: z.string(),
        lease: z.string(),
        /** The run in whose worktree it is to be run. */
        runUuid: z.string().nullable(),
        /** Of work that no run did: in which repository it was done, and the work as it was shown. */
        byHand: z
          .object({
            projectName: z.string(),
            repository: RepositoryIdentity,
            tree: z.string(),
            baseCommit: z.string().nullable(),
          })
          .nullable(),
        name: z.string(),
        command: z.string(),
        preview: z.boolean(),
      })
      .nullable(),
    /** Those of `previews` that are to end. */
    over: z.array(z.string()),
  }),
})

export const reportCheck = signature({
  name: "chorus_report_check",
  does: "Report on a check that this runner holds; every report prolongs the lease.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({
    checkUuid: z.uuid(),
    lease: z.uuid(),
    /** The last of what it has printed so far. */
    tail: z.string().max(MOST_OUTPUT).overwrite(withColoursOnly).optional(),
    /** Where a preview answers by now. */
    listens: z.object({ port: z.number().int().min(1).max(65_535), near: z.boolean() }).optional(),
    end: z.object(result).optional(),
    /** Why it cannot be run here. */
    refused: prose(500).optional(),
  }),
  output: z.object({ uuid: z.string(), state: CheckState }),
})

export const sendCheck = signature({
  name: "chorus_send_check",
  does: "Tell the result of a check that was run in a checkout of one's own.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid: TaskId, command: line(2000), machine: line(120), ...result }),
  output: CheckRow,
})
