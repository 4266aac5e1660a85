import type { machines, OutputOf } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { useNow } from "./use-now.ts"

type Answer = OutputOf<typeof machines.listTerminals>
export type Terminal = machines.TerminalRow

const follow = followRows<Answer>({ entity: "terminal", rows: "terminals" })

/** Every agent terminal of the machines whose companion tells us, kept in step with the log. */
export function useTerminals(): readonly Terminal[] {
  return useOperation("chorus_list_terminals", {}, follow).answer?.terminals ?? []
}

/** The machines whose terminals nobody can vouch for because no companion speaks there, and for how long. */
export function useUnheard(): readonly { readonly machine: string; readonly forMs: number }[] {
  const now = useNow()
  const silent = useTerminals().filter(({ source }) => source === "server:silence")
  return [...Map.groupBy(silent, ({ machineUuid }) => machineUuid).values()].flatMap(([first]) =>
    first === undefined ? [] : [{ machine: first.machine, forMs: Math.max(0, now - first.since) }],
  )
}
