import { captureChange, sendChange } from "@chorus/changes"
import type { runs, TaskId } from "@chorus/contracts"
import type { Call } from "./reporter.ts"
import { reasonOf } from "./run-words.ts"
import type { Transcript } from "./transcript.ts"
import type { Worktree } from "./worktree.ts"

/** What a run changed so far goes to its task; a run whose work cannot be shown is a run all the same. */
export async function showWork(
  call: Call,
  run: Pick<runs.LeasedRun, "uuid" | "lease" | "taskUuid">,
  worktree: Worktree | undefined,
  transcript: Pick<Transcript, "say">,
): Promise<void> {
  if (worktree === undefined) return
  const held = { runUuid: run.uuid, lease: run.lease }
  try {
    const change = await captureChange(worktree.path, { base: worktree.baseCommit })
    const about = { taskUuid: run.taskUuid as TaskId, origin: "run" as const, run: held }
    await sendChange((input) => call("chorus_send_change", input), about, change)
  } catch (error) {
    transcript.say("note", `What it changed could not be shown: ${reasonOf(error)}`)
  }
}
