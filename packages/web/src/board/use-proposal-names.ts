import type { Client } from "@chorus/client"
import { useMemo } from "react"
import { keyOf } from "../live/live-store.ts"
import { useKept } from "../live/use-operation.ts"
import { followProposals } from "../proposals/follow-proposals.ts"

export interface ProposalNames {
  readonly proposals: readonly { readonly uuid: string; readonly name: string }[]
  /** Not before the server has said which there are, or that it cannot say. */
  readonly known: boolean
}

/** The proposals of a project whose tasks may be on the board. */
export function useProposalNames(projectUuid: string): ProposalNames {
  const follow = useMemo(() => followProposals(projectUuid), [projectUuid])
  const asked = { projectUuid, pageSize: 100 } as const
  const key = keyOf("chorus_get_proposals", { ...asked, page: "all" })
  const { answer, status } = useKept(key, (client) => readAll(client, asked), follow)
  const names = useMemo(
    () =>
      (answer?.proposals ?? [])
        .filter((proposal) => proposal.status === "approved")
        .map(({ uuid, title }) => ({ uuid, name: title })),
    [answer],
  )
  return { proposals: names, known: status !== "loading" }
}

/** Page by page, as many as there are: what a task came from may be long ago. */
async function readAll(client: Client, asked: { projectUuid: string; pageSize: number }) {
  const { answer, position } = await client.callWithPosition("chorus_get_proposals", asked)
  const pages = Array.from({ length: Math.ceil(answer.total / asked.pageSize) }, (_, at) => at + 1).slice(1)
  const rest = await Promise.all(pages.map((page) => client.call("chorus_get_proposals", { ...asked, page })))
  const all = [answer, ...rest].flatMap((page) => page.proposals)
  // What was added meanwhile pushes the last of a page into the next.
  return { answer: { ...answer, proposals: [...new Map(all.map((row) => [row.uuid, row])).values()] }, position }
}
