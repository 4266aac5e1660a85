import { Navigate, useParams } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Page, Problem, SkeletonRows } from "../design/index.ts"
import { useLive } from "../live/use-operation.ts"

type Place =
  | {
      readonly to: "/projects/$projectUuid/tasks/$taskUuid"
      readonly params: { projectUuid: string; taskUuid: string }
    }
  | {
      readonly to: "/projects/$projectUuid/ideas/$ideaUuid"
      readonly params: { projectUuid: string; ideaUuid: string }
    }

/** `/t/SHOP-12`, as people write it into mails and commit messages: leads to the task or idea of that name. */
export function ShortIdPage() {
  const { shortId } = useParams({ from: "/t/$shortId" })
  return <Lead key={shortId} shortId={shortId} />
}

function Lead({ shortId }: { readonly shortId: string }) {
  const { client } = useLive()
  const [place, setPlace] = useState<Place>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let current = true
    const task = client.call("chorus_get_task", { taskUuid: shortId }).then(({ uuid, projectUuid }): Place => ({
      to: "/projects/$projectUuid/tasks/$taskUuid",
      params: { projectUuid, taskUuid: uuid },
    }))
    task
      .catch(async (): Promise<Place> => {
        const { uuid, projectUuid } = await client.call("chorus_get_idea", { ideaUuid: shortId })
        return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid, ideaUuid: uuid } }
      })
      .then(
        (found) => current && setPlace(found),
        (failure: unknown) => current && setError(failure),
      )
    return () => {
      current = false
    }
  }, [client, shortId])
  if (place !== undefined) return <Navigate {...place} replace />
  return (
    <Page title={shortId}>
      {error === undefined ? <SkeletonRows /> : <Problem error={error} onRetry={() => location.reload()} />}
    </Page>
  )
}
