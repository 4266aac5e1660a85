import type { people } from "@chorus/contracts"
import { everyPage } from "../pages.ts"
import type { Workplace } from "../workplace.ts"

export async function allMembers({ call }: Workplace): Promise<people.MemberRow[]> {
  return everyPage(async (page) => {
    const answer = await call("chorus_list_members", page)
    return { rows: answer.members, total: answer.total }
  })
}
