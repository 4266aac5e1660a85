import type { reviews } from "@chorus/contracts"

export interface GivenReview {
  readonly reviewerUuid: string
  readonly round: number
  readonly verdict: reviews.ReviewVerdict
  readonly createdAt: string
}

export interface RaisedFinding {
  readonly key: string
  readonly severity: "blocker" | "note"
  readonly state: reviews.FindingState
}

/** Why a verdict and the blockers that are open with it do not go together; undefined when they do. */
export function verdictFault(verdict: reviews.ReviewVerdict, openBlockers: readonly string[]): string | undefined {
  if (verdict === "fail") return openBlockers.length === 0 ? "a failed review names at least one blocker" : undefined
  return openBlockers.length > 0 ? `a passed review leaves no blocker open (${openBlockers.join(", ")})` : undefined
}

/**
 * Whether what was submitted at `since` passed review: somebody reviewed it after that, no reviewer's newest word on it is a fail,
 * and no blocker is open. Gives the reason when not.
 */
export function reviewGate(
  given: readonly GivenReview[],
  findings: readonly RaisedFinding[],
  since: string,
): string | undefined {
  const newest = new Map<string, GivenReview>()
  for (const review of given) {
    const known = newest.get(review.reviewerUuid)
    if (review.createdAt >= since && (known === undefined || review.round > known.round))
      newest.set(review.reviewerUuid, review)
  }
  if (newest.size === 0) return "nobody has reviewed this submission yet"
  if ([...newest.values()].some((review) => review.verdict === "fail")) return "a reviewer's newest verdict is fail"
  const open = findings
    .filter((finding) => finding.severity === "blocker" && finding.state === "open")
    .map((finding) => finding.key)
  return open.length === 0 ? undefined : `blockers are open: ${open.join(", ")}`
}

/** The next free key of a severity: B1, B2 … for blockers, N1, N2 … for notes. */
export function nextFindingKey(severity: "blocker" | "note", taken: Iterable<string>): string {
  const letter = severity === "blocker" ? "B" : "N"
  const numbers = [...taken].filter((key) => key.startsWith(letter)).map((key) => Number(key.slice(1)))
  return `${letter}${Math.max(0, ...numbers) + 1}`
}
