import type { TeamMember } from "@chorus/contracts"
import { membersWithWorktrees } from "../runtime/spawn-note.ts"
import type { TeamPaths } from "../files/index.ts"

/** Whose branch has gone, as all of it was merged: what a member has built may be merged long after it left. */
export class MergedMembers {
  #told: readonly string[] = []

  /** Who was not told of yet, of those that have left. */
  news(paths: TeamPaths, present: readonly TeamMember[]): string[] {
    const merged = membersWithWorktrees(paths)
      .filter(({ name, worktree }) => worktree.mergedInto !== undefined && !present.some((one) => one.name === name))
      .map(({ name }) => name)
    const news = merged.filter((name) => !this.#told.includes(name))
    this.#told = merged
    return news
  }
}
