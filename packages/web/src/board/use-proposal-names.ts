import type { OutputOf, proposals } from "@chorus/contracts"
import { useMemo } from "react"
import { followRows } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof proposals.getProposals>

/** The proposals of a project whose tasks may be on the board. */
export function useProposalNames(projectUuid: string): readonly { readonly uuid: string; readonly name: string }[] {
  const follow = useMemo(
    () =>
      followRows<Answer>({
        entity: "proposal",
        rows: "proposals",
        belongs: (row) => row.projectUuid === projectUuid,
      }),
    [projectUuid],
  )
  const { answer } = useOperation("chorus_get_proposals", { projectUuid, pageSize: 100 }, follow)
  return useMemo(
    () =>
      (answer?.proposals ?? [])
        .filter(({ status }) => status === "approved")
        .map(({ uuid, title }) => ({ uuid, name: title })),
    [answer],
  )
}
