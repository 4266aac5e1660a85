import { git, proposedOf } from "@chorus/changes"
import type { InputOf, OutputOf, pullRequests } from "@chorus/contracts"
import { checkoutByHand } from "./by-hand.ts"
import { readPolicy } from "./policy.ts"
import { inPath } from "./programs.ts"
import { filesOf } from "./run-files.ts"
import type { Workbench } from "./workbench.ts"
import type { Worktree } from "./worktree.ts"

const LOOK_MS = 60_000

type Wanted = OutputOf<typeof pullRequests.reportPullRequests>["wanted"][number]
type Seen = NonNullable<InputOf<typeof pullRequests.reportPullRequests>["seen"]>[number]

export interface ForgeWatch {
  /** Looks where it is time to, unless it is looking already. */
  look(): void
  close(): Promise<void>
}

/**
 * Tells how the pull requests of the work on this machine stand until their work has landed, where the machine may push and
 * has the forge's program.
 */
export function openForgeWatch({ call, machine, data, directory, places, environment }: Workbench): ForgeWatch {
  let live: Promise<void> | undefined
  let next = 0
  const closing = new AbortController()

  async function report(): Promise<void> {
    const policy = readPolicy(data)
    const { wanted } = await call("chorus_report_pull_requests", { machine })
    const seen: Seen[] = []
    for (const { taskUuid, runUuid, byHand } of wanted) {
      const worktree = byHand === null ? filesOf(directory, runUuid ?? "").read()?.worktree : await branchByHand(byHand)
      const isAllowed = policy?.folders.some(({ path }) => path === worktree?.repository)
      if (worktree === undefined || isAllowed !== true || closing.signal.aborted) continue
      const { repository, branch } = worktree
      const pullRequest = await proposedOf({ repository, branch, environment, signal: closing.signal })
      seen.push({
        taskUuid: taskUuid as Seen["taskUuid"],
        pullRequest: pullRequest ?? null,
        ...(await standing(worktree)),
      })
    }
    if (seen.length > 0) await call("chorus_report_pull_requests", { machine, seen })
  }

  return {
    look() {
      const isThere = () => ["gh", "glab"].some((name) => inPath(name, places) !== undefined)
      if (live !== undefined || Date.now() < next || readPolicy(data)?.push !== true || !isThere()) return
      next = Date.now() + LOOK_MS
      live = report()
        .catch(() => undefined)
        .finally(() => (live = undefined))
    },
    async close() {
      closing.abort()
      next = Number.POSITIVE_INFINITY
      await live
    },
  }
}

async function branchByHand({ repository, branch }: NonNullable<Wanted["byHand"]>) {
  const checkout = await checkoutByHand(repository).catch(() => undefined)
  return checkout && { repository: checkout.repository, branch }
}

/** Where a branch stands beside the one that is checked out. */
async function standing({
  repository,
  branch,
}: Pick<Worktree, "repository" | "branch">): Promise<Pick<Seen, "ahead" | "behind">> {
  const words = ["rev-list", "--left-right", "--count", `HEAD...refs/heads/${branch}`]
  const [behind, ahead] = (await git(repository, words).catch(() => "")).split("\t").map(Number)
  return ahead === undefined || behind === undefined ? {} : { ahead, behind }
}
