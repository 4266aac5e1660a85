import { createClient } from "@chorus/client"
import { useState } from "react"
import { describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { LiveContext, startLive } from "../live/use-operation.ts"
import { useSearchResults } from "./use-search.ts"

interface Asked {
  readonly query: string
  answer(...titles: readonly string[]): void
  readonly aborted: () => boolean
}

/** A field over a search whose answers come when the test says so. */
async function searching() {
  const asked: Asked[] = []
  const fetch = (address: unknown, init?: RequestInit) => {
    if (String(address).endsWith("mentionables")) return Promise.resolve(Response.json({ results: [] }))
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
    const results = (titles: readonly string[]) =>
      titles.map((title) => ({
        entityType: "task",
        uuid: title,
        title,
        projectUuid: "p",
        projectName: "P",
        snippet: "",
      }))
    asked.push({
      query: (JSON.parse(String(init?.body)) as { query: string }).query,
      answer: (...titles) => resolve(Response.json({ results: results(titles) })),
      aborted: () => init?.signal?.aborted === true,
    })
    return promise
  }
  const live = {
    ...startLive(Promise.resolve()),
    client: createClient({ url: location.origin, fetch: fetch as typeof globalThis.fetch }),
  }
  const screen = await render(
    <LiveContext value={live}>
      <Search />
    </LiveContext>,
  )
  const found = () =>
    screen
      .getByRole("listitem")
      .elements()
      .map(({ textContent }) => textContent)
  return { asked, found, type: (text: string) => screen.getByRole("textbox").fill(text) }
}

describe("searching while one types", () => {
  it("asks once, when the typing stops, for what was typed without blanks", async () => {
    const { asked, found, type } = await searching()
    for (const text of ["w", "wi", "wir", " wire "]) await type(text)
    await expect.poll(() => asked.at(-1)?.query).toBe("wire")
    asked.at(-1)?.answer("Lay the wire")
    await expect.poll(found).toEqual(["Lay the wire"])
  })

  it("never shows an older answer over a newer one", async () => {
    const { asked, found, type } = await searching()
    await type("wire")
    await expect.poll(() => asked.length).toBe(1)
    await type("lamp")
    await expect.poll(() => asked.length).toBe(2)
    expect(asked[0]?.aborted()).toBe(true)
    asked[1]?.answer("Hang the lamp")
    asked[0]?.answer("Lay the wire")
    await expect.poll(found).toEqual(["Hang the lamp"])
  })

  it("asks for nothing by a single letter, and lets go of what it showed", async () => {
    const { asked, found, type } = await searching()
    await type("wire")
    await expect.poll(() => asked.length).toBe(1)
    asked[0]?.answer("Lay the wire")
    await expect.poll(found).toEqual(["Lay the wire"])
    await type("w")
    await expect.poll(found).toEqual([])
    expect(asked).toHaveLength(1)
  })

  it("shows the best twelve", async () => {
    const { asked, found, type } = await searching()
    await type("wire")
    await expect.poll(() => asked.length).toBe(1)
    asked[0]?.answer(...Array.from({ length: 30 }, (_, at) => `Wire ${at}`))
    await expect.poll(() => found().length).toBe(12)
    expect(found().at(-1)).toBe("Wire 11")
  })
})

function Search() {
  const [query, setQuery] = useState("")
  const results = useSearchResults(query)
  return (
    <>
      <input aria-label="Search" value={query} onChange={(event) => setQuery(event.target.value)} />
      <ul>
        {results.things.map(({ uuid, title }) => (
          <li key={uuid}>{title}</li>
        ))}
      </ul>
    </>
  )
}
