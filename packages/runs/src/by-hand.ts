import { existsSync } from "node:fs"
import { assertSameRepository, checkoutIn } from "@chorus/changes"
import { type changes, ChorusError, type RunnerPolicy } from "@chorus/contracts"

/** A checkout in which an agent worked that a person started, and the repository it is of. */
export interface Checkout {
  readonly path: string
  readonly repository: string
}

/** Where work by hand lies; the policy says whether that is anybody's business here. */
export async function checkoutByHand(work: changes.RepositoryIdentity | undefined): Promise<Checkout | undefined> {
  const checkout = work?.checkout
  if (work === undefined || checkout === undefined || !existsSync(checkout.repository)) return undefined
  const { repository, folder } = checkout
  await assertSameRepository(repository, work)
  return { repository, path: await checkoutIn(repository, folder) }
}

/** What the machine says of a repository for a project; throws where it does not allow it. */
export function allowedFolder(
  policy: RunnerPolicy,
  { repository }: Pick<Checkout, "repository">,
  { projectName, wanted }: { readonly projectName: string; readonly wanted: "--checks" | "--land" | "--push" },
): RunnerPolicy["folders"][number] {
  const folder = policy.folders.find(
    ({ path, project }) => path === repository && (project === undefined || project === projectName),
  )
  if (folder !== undefined) return folder
  throw new ChorusError("not_allowed_here", `This machine does not allow ${repository} any more.`, {
    status: 403,
    next: `Run \`chorus runner allow DIR ${wanted}\` there.`,
  })
}
