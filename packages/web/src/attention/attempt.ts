import type { Client } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { didKey } from "../activity/feed.ts"
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
    const decided = late ? await whatWasDecided(client, about).catch(() => undefined) : undefined
    toastError(decided === undefined ? error : new Error(decided))
    return undefined
  }
}

/** Who got there first, or that it was the reader, in another window. */
async function whatWasDecided(client: Client, { projectUuid, uuid, title }: Decided): Promise<string | undefined> {
  if (projectUuid === null) return undefined
  const [me, { activities }] = await Promise.all([
    client.call("chorus_get_me", {}),
    client.call("chorus_get_activity", { projectUuid, entityUuid: uuid, pageSize: 1 }),
  ])
  const [last] = activities
  if (last === undefined) return undefined
  const { actor } = last
  if (actor.uuid === me.uuid) return say("needsYou.decidedByMe", { did: say(didKey(last)), title })
  return say("needsYou.decidedFirst", { name: actor.name, title })
}
