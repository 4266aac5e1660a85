import { expect } from "vitest"
import type { Locator } from "vitest/browser"
import type { Screen } from "./cards.ts"
import { enterHouse, leaveHouse } from "./house.ts"
import { owner } from "./stage.tsx"
import { handIn, hire, makeProject, makeTasks } from "./workplace.ts"

/** A new server: the page shows all that waits, and what the tests before left would make it longer from one to the next. */
export async function emptyQueue(): Promise<void> {
  await leaveHouse()
  enterHouse()
}

/** Found again among what other tests left. */
export const unique = (title: string) => `${title} ${crypto.randomUUID().slice(0, 8)}`
export const cardOf = (screen: Screen, title: string) =>
  screen.getByRole("main").getByRole("listitem").filter({ hasText: title })

/** An agent that asks a person. */
export async function asking(
  kind: "permission" | "input" | "plan" | "shutdown" = "input",
  more: {
    readonly answerable?: boolean
    readonly detail?: Record<string, unknown>
    readonly expiresInMinutes?: number
  } = {},
) {
  const agent = await hire("Asker")
  const title = unique("May I")
  const { uuid } = await agent.client.call("chorus_create_attention", { title, kind, ...more })
  return {
    agent,
    title,
    now: () => agent.client.call("chorus_get_attention", { attentionUuid: uuid }),
    withdraw: () => agent.client.call("chorus_withdraw_attention", { attentionUuid: uuid }),
  }
}

/** Work that waits for a verdict. */
export async function waitingTask() {
  const projectUuid = await makeProject()
  const title = unique("Lay the wire")
  const [taskUuid = ""] = await makeTasks(projectUuid, { title })
  await handIn(await hire(), taskUuid)
  return { projectUuid, taskUuid, title }
}

export async function statusOfProposal(proposalUuid: string) {
  return (await owner.call("chorus_get_proposal", { proposalUuid })).status
}

/** Chosen as a pointer does it, without opening anything. */
export async function choose(card: Locator): Promise<void> {
  await expect.element(card).toBeVisible()
  card.element().dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))
  await expect.element(card).toHaveAttribute("aria-current", "true")
}
