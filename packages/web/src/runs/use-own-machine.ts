import type { RouteOutput } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { useLive } from "../live/use-operation.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

type Known = RouteOutput<"POST /api/machine">["machine"]

/** The server's own machine where this person may say what it allows, null where not, undefined until that is known. */
export function useOwnMachine(): Known | undefined {
  const { client } = useLive()
  const { person } = useSignedIn()
  const isOwner = person.role === "owner"
  const [known, setKnown] = useState<Known>()
  useEffect(() => {
    if (!isOwner) return undefined
    let left = false
    const take = (machine: Known) => !left && setKnown(machine)
    // Whoever cannot be asked is told the command, which works everywhere.
    void client.ask("POST /api/machine", {}).then(
      ({ machine }) => take(machine),
      () => take(null),
    )
    return () => {
      left = true
    }
  }, [client, isOwner])
  return isOwner ? known : null
}
