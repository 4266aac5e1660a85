import { useState } from "react"
import { describe, expect, it } from "vitest"
import { showRouted } from "../../test/stage.tsx"
import { Conversation } from "./Conversation.tsx"
import { Orders } from "./Orders.tsx"
import { type Message, type Team } from "./team.ts"

const message = (at: number): Message => ({
  id: String(at),
  from: "ada",
  to: "bob",
  kind: "message",
  text: `Line ${at} of what was said, long enough to be read.`,
  summary: null,
  sentAt: "2026-01-01T09:00:00.000Z",
})
const many = (count: number) => Array.from({ length: count }, (_, at) => message(at))

function Growing({ start }: { readonly start: number }) {
  const [count, setCount] = useState(start)
  return (
    <>
      <button type="button" onClick={() => setCount(count + 1)}>
        Say more
      </button>
      <Conversation messages={many(count)} members={[]} />
    </>
  )
}

describe("a conversation", () => {
  it("says so while nobody has spoken", async () => {
    const { screen } = await showRouted(<Conversation messages={[]} members={[]} />)
    await expect.element(screen.getByText("No messages yet.")).toBeVisible()
  })

  it("opens at its end and follows while one is there", async () => {
    const { screen } = await showRouted(<Growing start={40} />)
    const list = screen.getByRole("list", { name: "Messages" })
    const fromEnd = () => list.element().scrollHeight - list.element().scrollTop - list.element().clientHeight
    await expect.poll(fromEnd).toBeLessThan(2)
    await screen.getByRole("button", { name: "Say more" }).click()
    await expect.element(screen.getByText(/^Line 40 /)).toBeInTheDocument()
    await expect.poll(fromEnd).toBeLessThan(2)
  })

  it("stays where one reads", async () => {
    const { screen } = await showRouted(<Growing start={40} />)
    const list = screen.getByRole("list", { name: "Messages" })
    await expect.poll(() => list.element().scrollTop).toBeGreaterThan(100)
    list.element().scrollTop = 0
    await expect.poll(() => list.element().scrollTop).toBe(0)
    list.element().dispatchEvent(new Event("scroll"))
    await screen.getByRole("button", { name: "Say more" }).click()
    await expect.element(screen.getByText(/^Line 40 /)).toBeInTheDocument()
    expect(list.element().scrollTop).toBe(0)
  })

  it("names who spoke also when nobody knows them any more", async () => {
    const { screen } = await showRouted(<Conversation messages={[message(1)]} members={[]} />)
    await expect.element(screen.getByText("ada")).toBeVisible()
    await expect.element(screen.getByText("bob")).toBeVisible()
  })
})

describe("what people asked of a team", () => {
  const order = (uuid: string, changes: Partial<Team["orders"][number]>): Team["orders"][number] =>
    ({
      uuid,
      what: "message",
      to: "ada",
      createdAt: "2026-01-01T09:00:00.000Z",
      deliveredAt: null,
      error: null,
      by: "Owner",
      ...changes,
    }) as Team["orders"][number]

  it("says what it was and whether it arrived, or why not", async () => {
    const orders = [
      order("1", {}),
      order("2", { what: "shutdown", deliveredAt: "2026-01-01T09:01:00.000Z" }),
      order("3", { what: "plan", error: "The member has left." }),
      order("4", { what: "permission" }),
      order("5", { what: "something-new" }),
    ]
    const { screen } = await showRouted(<Orders orders={orders} />)
    const lines = screen
      .getByRole("listitem")
      .elements()
      .map((line) => line.textContent)
    expect(lines.map((line) => line.replace(/\d+ .*ago$|last yr\.$/, ""))).toEqual([
      "Message to adaby OwnerWaits for the machine",
      "Shutdown of adaby OwnerDelivered",
      "Decision on the plan of adaby OwnerThe member has left.",
      "Decision on a permission of adaby OwnerWaits for the machine",
      "Request to adaby OwnerWaits for the machine",
    ])
  })

  it("keeps to the last five, and is not there while there are none", async () => {
    const { screen } = await showRouted(
      <Orders orders={Array.from({ length: 7 }, (_, at) => order(String(at), { to: `m${at}` }))} />,
    )
    await expect.poll(() => screen.getByRole("listitem").elements().length).toBe(5)
    const empty = await showRouted(<Orders orders={[]} />)
    expect(empty.screen.container.querySelector("ul")).toBeNull()
  })
})
