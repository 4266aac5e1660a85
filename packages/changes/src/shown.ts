import { ChorusError, type landings } from "@chorus/contracts"
import { filesBetween } from "./capture.ts"
import { git } from "./git.ts"
import { type LandOptions, sourceOf } from "./land.ts"
import { withScratchObjects } from "./tree.ts"

type Shown = NonNullable<landings.LeasedLanding["byHand"]>["files"]

/**
 * Refuses work that no runner showed where its patches are not those that people read: who sent it could have named the
 * tree of something else.
 */
export async function assertShown({ repository, folder, work }: LandOptions, shown: Shown): Promise<void> {
  const same = await withScratchObjects(repository, async (env) => {
    await sourceOf({ repository, folder, work }, env)
    const base = work.baseCommit ?? (await git(repository, ["hash-object", "-t", "tree", "/dev/null"]))
    const { files } = await filesBetween({
      folder: repository,
      before: `${base}^{tree}`,
      after: work.tree ?? base,
      env,
    })
    const told = (each: Shown) => JSON.stringify(each.map(({ path, patchSha }) => [path, patchSha]))
    return told(files) === told(shown)
  })
  if (same) return
  throw new ChorusError("work_differs", `What lies in ${repository} for ${work.shortId} is not what was shown of it.`, {
    status: 409,
    next: "Have its change shown anew by `chorus change push`, and read that.",
  })
}
