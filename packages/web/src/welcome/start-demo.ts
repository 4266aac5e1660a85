import { ChorusError } from "@chorus/contracts"

/** Asks the server to let its scripted team build a sample project; answers where to watch. */
export async function startDemo(): Promise<{ readonly projectUuid: string }> {
  const response = await fetch("/api/demo", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  })
  const answer = (await response.json()) as {
    projectUuid: string
    error?: { code: string; message: string; next?: string }
  }
  if (response.ok) return answer
  const { code, message, next } = answer.error ?? { code: "internal", message: response.statusText }
  throw new ChorusError(code, message, { status: response.status, next })
}
