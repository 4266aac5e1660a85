import { ChorusError } from "@chorus/contracts"

/** Whether what was on show is no more: somebody deleted it, or it may not be seen any longer. */
export function isGone(error: unknown): boolean {
  return error instanceof ChorusError && error.status === 404
}
