import type { OutputOf, search } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { useLive } from "../live/use-operation.ts"
import type { Asked } from "./completion.ts"

const PAUSE_MS = 100
const MOST = 6

export interface Completion {
  readonly uuid: string
  readonly name: string
  /** What is put into the text. */
  readonly put: string
  /** Who it is; undefined for things. */
  readonly actor?: OutputOf<typeof search.searchMentionables>["results"][number]
  /** What it is; undefined for people and agents. */
  readonly thing?: search.SearchResult
}

/** What is looked for. */
interface Sought extends Pick<Asked, "mark" | "query"> {
  /** Only tasks, and only those of this project. */
  readonly tasksOf?: string | undefined
}

interface Found {
  readonly mark: Asked["mark"] | undefined
  readonly query: string
  readonly all: readonly Completion[]
}

const NOTHING: Found = { mark: undefined, query: "", all: [] }

const LINKED = ["task", "idea", "proposal", "document"] as const

/**
 * Who or what fits, but for those in `except`; an older answer never replaces a newer one. Of an answer to fewer letters
 * only what still fits is offered: whoever types on and takes the first means what they typed.
 */
export function useCompletions(asked: Sought | undefined, except: readonly string[] = []): readonly Completion[] {
  const { client } = useLive()
  const [found, setFound] = useState<Found>(NOTHING)
  const { mark, query, tasksOf } = asked ?? {}
  useEffect(() => {
    if (mark === undefined || query === undefined) {
      setFound(NOTHING)
      return
    }
    const stop = new AbortController()
    const options = { signal: stop.signal, retry: false }
    const people = async () =>
      (await client.call("chorus_search_mentionables", { query, limit: MOST }, options)).results.map((actor) => ({
        uuid: actor.uuid,
        name: actor.name,
        put: actor.mention,
        actor,
      }))
    const among =
      tasksOf === undefined
        ? { entityTypes: [...LINKED] }
        : { entityTypes: ["task" as const], scope: "project" as const, scopeUuid: tasksOf }
    const things = async () =>
      (await client.call("chorus_search", { query, ...among }, options)).results.map((thing) => ({
        uuid: thing.uuid,
        name: thing.title,
        put: linkTo(thing),
        thing,
      }))
    const timer = setTimeout(() => {
      ;(mark === "@" ? people() : things()).then(
        (all) => setFound({ mark, query, all }),
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, mark, query, tasksOf])
  if (mark === undefined || query === undefined || found.mark !== mark) return []
  const fits = (name: string) => found.query === query || name.toLowerCase().includes(query.toLowerCase())
  return found.all.filter(({ uuid, name }) => !except.includes(uuid) && fits(name)).slice(0, MOST)
}

/** The title is there for whoever reads the text as it stands; the page shows the one it has now. */
function linkTo({ entityType, uuid, title }: search.SearchResult): string {
  return `[${title.replace(/[[\]\\]/g, " ").trim()}](${entityType}:${uuid})`
}
