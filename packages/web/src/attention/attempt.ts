import type { Client } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { toastError } from "../design/index.ts"
import { say } from "../i18n/language.ts"

export interface Decided {
  readonly uuid: string
  readonly title: string
  readonly projectUuid: string | null
}

/** What came of a decision; nothing after a failure the person has been told about. Where somebody else got there first, says who. */
export async function attempt<Answer>(
  client: Client,
  about: Decided,
  act: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  try {
    return await act()
  } catch (error) {
    const late = error instanceof ChorusError && (error.code === "wrong_status" || error.code === "changed_meanwhile")
    const name = late ? await whoDecided(client, about).catch(() => undefined) : undefined
    toastError(name === undefined ? error : new Error(say("needsYou.decidedFirst", { name, title: about.title })))
    return undefined
  }
}

async function whoDecided(client: Client, { projectUuid, uuid }: Decided): Promise<string | undefined> {
  if (projectUuid === null) return undefined
  const { activities } = await client.call("chorus_get_activity", { projectUuid, entityUuid: uuid, pageSize: 1 })
  return activities[0]?.actor.name
}
