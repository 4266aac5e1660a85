import type { Client } from "@chorus/client"
import type { OutputOf, proposals } from "@chorus/contracts"
import { useMemo } from "react"
import { followRows } from "../live/follow.ts"
import { keyOf } from "../live/live-store.ts"
import { useKept } from "../live/use-operation.ts"

type Answer = OutputOf<typeof proposals.getProposals>

export interface ProposalNames {
  readonly proposals: readonly { readonly uuid: string; readonly name: string }[]
  /** Not before the server has said which there are, or that it cannot say. */
  readonly known: boolean
}

/** The proposals of a project whose tasks may be on the board. */
export function useProposalNames(projectUuid: string): ProposalNames {
  const follow = useMemo(
    () =>
      followRows<Answer>({
        entity: "proposal",
        rows: "proposals",
        belongs: (row, event) => event.projectUuid === projectUuid && row.status === "approved",
      }),
    [projectUuid],
  )
  const asked = { projectUuid, status: "approved", pageSize: 100 } as const
  const { answer, status } = useKept(keyOf("chorus_get_proposals", asked), (client) => readAll(client, asked), follow)
  const names = useMemo(() => (answer?.proposals ?? []).map(({ uuid, title }) => ({ uuid, name: title })), [answer])
  return { proposals: names, known: status !== "loading" }
}

/** Page by page, as many as there are: what a task came from may be long ago. */
async function readAll(client: Client, asked: { projectUuid: string; status: "approved"; pageSize: number }) {
  const { answer, position } = await client.callWithPosition("chorus_get_proposals", asked)
  const pages = Array.from({ length: Math.ceil(answer.total / asked.pageSize) }, (_, at) => at + 1).slice(1)
  const rest = await Promise.all(pages.map((page) => client.call("chorus_get_proposals", { ...asked, page })))
  const all = [answer, ...rest].flatMap((page) => page.proposals)
  // What was approved meanwhile pushes the last of a page into the next.
  return { answer: { ...answer, proposals: [...new Map(all.map((row) => [row.uuid, row])).values()] }, position }
}
