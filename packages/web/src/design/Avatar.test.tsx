import { describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { Avatar } from "./Avatar.tsx"
import { Badge, Dot, type Tone } from "./Badge.tsx"
import { MOD } from "./keys.ts"
import { Kbd } from "./Kbd.tsx"
import { SessionBadge } from "./SessionBadge.tsx"
import { StatusIcon } from "./StatusIcon.tsx"

const TONES: readonly Tone[] = ["todo", "progress", "waiting", "done", "failed"]

describe("somebody's picture", () => {
  it("is round with initials for a person, square for an agent, and named for both", async () => {
    const screen = await render(
      <>
        <Avatar actor={{ type: "user", uuid: "u", name: "Grace Hopper" }} />
        <Avatar actor={{ type: "agent", uuid: "a", name: "Builder" }} />
      </>,
    )
    const person = screen.getByTitle("Grace Hopper")
    const agent = screen.getByTitle("Builder")
    await expect.element(person).toHaveTextContent("GHGrace Hopper")
    await expect.element(agent).toHaveTextContent("Builder")
    const radius = (element: Element) => Number.parseFloat(getComputedStyle(element).borderRadius)
    expect(radius(person.element())).toBeGreaterThan(100)
    expect(radius(agent.element())).toBeLessThan(12)
  })

  it("has an agent's own hue, the same in every place, and none for a person", async () => {
    const screen = await render(
      <>
        <Avatar actor={{ type: "agent", uuid: "0199-7-session", name: "Here" }} />
        <Avatar actor={{ type: "agent", uuid: "0199-7-session", name: "There" }} size="lg" />
        <SessionBadge
          session={{ uuid: "a-session", name: "frontend" }}
          agent={{ uuid: "0199-7-session", name: "Here" }}
        />
        <Avatar actor={{ type: "user", uuid: "0199-7-session", name: "Person" }} />
      </>,
    )
    const hue = (title: string) => (screen.getByTitle(title).element() as HTMLElement).dataset["hue"]
    expect(hue("Here")).toMatch(/^[0-7]$/)
    expect([hue("There"), hue("frontend · Here"), hue("Person")]).toEqual([hue("Here"), hue("Here"), undefined])
    const colour = (title: string) => getComputedStyle(screen.getByTitle(title).element()).color
    expect(colour("Here")).toBe(colour("There"))
    expect(colour("Here")).not.toBe(colour("Person"))
  })
})

describe("an agent's face", () => {
  it("is the same every time, in the colour of its sessions, and unlike most others'", async () => {
    const agents = Array.from({ length: 40 }, (_, at) => ({ type: "agent", uuid: `agent-${at}`, name: `Agent ${at}` }))
    const screen = await render(
      <>
        {agents.map((actor) => (
          <Avatar key={actor.uuid} actor={actor} />
        ))}
        <SessionBadge session={{ uuid: "s", name: "frontend" }} agent={agents[3]} />
      </>,
    )
    const faces = [...screen.container.querySelectorAll("[data-face]")].map((each) => each.getAttribute("data-face"))
    expect(new Set(faces).size).toBeGreaterThan(25)
    const hue = (title: string) => screen.getByTitle(title).element().getAttribute("data-hue")
    expect(hue("frontend · Agent 3")).toBe(hue("Agent 3"))
  })
})

describe("a session's badge", () => {
  it("says whose session it is, and whether it is at work right now", async () => {
    const screen = await render(
      <>
        <SessionBadge session={{ uuid: "a", name: "frontend" }} agent={{ uuid: "b", name: "Builder" }} />
        <SessionBadge session={{ uuid: "b", name: "backend" }} agent={undefined} live={false} />
      </>,
    )
    const dot = (title: string) => getComputedStyle(screen.getByTitle(title).element().querySelector("span") as Element)
    expect(dot("frontend · Builder").borderTopWidth).toBe("0px")
    expect(dot("backend").borderTopWidth).toBe("1px")
  })
})

describe("where something stands", () => {
  it("has one colour per meaning, and the plain one where nothing was said", async () => {
    const screen = await render(
      <>
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone} title={tone}>
            {tone}
          </Badge>
        ))}
        <Badge title="plain">plain</Badge>
      </>,
    )
    const colours = TONES.map((tone) => getComputedStyle(screen.getByTitle(tone).element()).color)
    expect(new Set(colours).size).toBe(5)
    expect(getComputedStyle(screen.getByTitle("plain").element()).color).toBe(colours[0])
  })

  it("is drawn as a ring that fills, closed by a tick, or by a cross where it failed", async () => {
    const drawn = async (tone: Tone, share?: number) => {
      const screen = await render(<StatusIcon tone={tone} {...(share === undefined ? {} : { share })} />)
      const paths = [...screen.container.querySelectorAll("path")].map((path) => path.getAttribute("d") ?? "")
      const filled = screen.container.querySelector("circle[r='2.5']")?.getAttribute("stroke-dasharray")?.split(" ")[0]
      await screen.unmount()
      return { paths, filled: filled === undefined ? undefined : Math.round((Number(filled) / (5 * Math.PI)) * 100) }
    }
    expect(await drawn("todo")).toEqual({ paths: [], filled: 0 })
    expect(await drawn("progress")).toEqual({ paths: [], filled: 50 })
    expect(await drawn("waiting")).toEqual({ paths: [], filled: 75 })
    expect(await drawn("progress", 0.2)).toEqual({ paths: [], filled: 20 })
    const done = await drawn("done")
    const failed = await drawn("failed")
    expect([done.filled, failed.filled]).toEqual([undefined, undefined])
    expect(done.paths).toHaveLength(1)
    expect(failed.paths).not.toEqual(done.paths)
  })

  it("moves only where something goes on right now", async () => {
    const screen = await render(
      <>
        <Dot tone="done" />
        <Dot tone="progress" pulse />
      </>,
    )
    expect(screen.container.querySelectorAll(".animate-ping")).toHaveLength(1)
  })
})

describe("keys", () => {
  it("stand each on its own cap", async () => {
    const screen = await render(<Kbd keys="⌘ K" />)
    expect([...screen.container.querySelectorAll("kbd")].map(({ textContent }) => textContent)).toEqual([MOD, "K"])
  })
})
