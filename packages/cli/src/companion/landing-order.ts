import { ChorusError, type TeamLanding } from "@chorus/contracts"
import { readPolicy } from "@chorus/runs"
import { openTeam } from "@chorus/teams"
import { landMember, worktreeOf } from "../team/landing.ts"

/**
 * Lands a member's work as a person asked for on the page, where this machine lets people do so. Done twice under one
 * mark it is done once, as the commit carries the mark. Returns where the result stands.
 */
export async function landAsAllowed(
  { team: name, member, how }: TeamLanding,
  mark: string,
  { data, root }: { readonly data: string; readonly root: string | undefined },
): Promise<string> {
  const team = await openTeam(name, { root })
  const { repository } = worktreeOf(team, member)
  const policy = readPolicy(data)
  if (policy?.land !== true || !policy.folders.some(({ path }) => path === repository))
    throw new ChorusError("not_allowed_here", `This machine lets nobody land work in ${repository} from the page.`, {
      status: 403,
      next: `Run \`chorus runner allow ${repository} --land\` there and send it again, or \`chorus team land ${member}\`.`,
    })
  const { state, branch, commit = "", reason } = await landMember(team, member, { mark, how })
  if (state !== "landed")
    throw new ChorusError("not_landed", reason ?? `${member}'s work did not go into ${branch}.`, {
      status: 409,
      next: "Settle what it names, then send it again.",
    })
  return `${branch} ${commit.slice(0, 12)} · ${repository}`
}
