import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"

const env = { CHORUS_DATA: join(scratchFolder(), "data") }

interface Agent {
  readonly uuid: string
  readonly name: string
  readonly presets: string[]
  readonly permissions: string[]
  readonly key: string
  readonly keyUuid: string
  readonly expiresAt: string | null
}

const add = (name: string, ...more: string[]) => chorusHereJson<Agent>(["agent", "add", name, ...more], { env })
const list = async (...more: string[]) =>
  (await chorusHereJson<Agent[]>(["agent", "list", ...more], { env })).map(({ name }) => name)

describe("chorus agent add", () => {
  it("shows a person the agent and its key, which lasts until it is revoked", async () => {
    const { stdout } = await chorusHere(["agent", "add", "bob"], { env })
    expect(stdout).toMatch(
      /^added bob [0-9a-f-]{36}\nkey {3}cho_[\w-]{43}\n {6}Keep it now: it is not shown again\.\nmcp {3}http:\/\/127\.0\.0\.1:8637\/api\/mcp\?tools=lean\n$/,
    )
  })

  it("makes a developer, unless told what else it may do", async () => {
    expect((await add("dev")).presets).toEqual(["developer"])
    expect((await add("both", "--preset", "pm", "developer")).presets).toEqual(["pm", "developer"])
  })

  it("confines it to projects and gives it a persona", async () => {
    const project = await chorusHereJson<{ uuid: string }>(["project", "add", "Shop"], { env })
    const { uuid } = await add("shopkeeper", "--project", project.uuid, "--persona", "Speaks little.")
    const rows = await chorusHereJson<{ uuid: string; projectUuids: string[]; persona: string }[]>(["agent", "list"], {
      env,
    })
    expect(rows.find((row) => row.uuid === uuid)).toMatchObject({
      projectUuids: [project.uuid],
      persona: "Speaks little.",
    })
  })

  it("says until when a key lasts that ends", async () => {
    const { expiresAt } = await add("intern", "--expires", "3650")
    expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now() + 3649 * 86_400_000)
    const { stdout } = await chorusHere(["agent", "key", "intern", "--expires", "1"], { env })
    expect(stdout).toMatch(/^key {3}cho_[\w-]{43} until \d{4}-\d\d-\d\d\n/)
  })

  it.each(["0", "-3", "3651", "soon", "1.5", ""])(
    "leaves no agent behind when its key cannot last %j days",
    async (days) => {
      const { code, stderr } = await chorusHere(["agent", "add", "half-made", "--expires", days], { env })
      expect(code).toBe(1)
      expect(stderr).toContain("A key lasts from 1 to 3650 days.")
      expect(await list("--all")).not.toContain("half-made")
    },
  )

  it("refuses a preset that there is not, naming those there are", async () => {
    const { code, stderr } = await chorusHere(["agent", "add", "x", "--preset", "king"], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/Allowed choices are .*developer/)
  })
})

describe("chorus agent key", () => {
  it("finds the agent by its uuid as well as by its name", async () => {
    const { uuid, key } = await add("carol")
    const further = await chorusHereJson<{ key: string; name: string }>(["agent", "key", uuid, "--name", "laptop"], {
      env,
    })
    expect(further.name).toBe("laptop")
    expect(further.key).not.toBe(key)
  })

  it("asks which one is meant when two have the name", async () => {
    const twins = [await add("twin"), await add("twin")].map(({ uuid }) => uuid)
    const refused = await refusalOf(["agent", "key", "twin"], { env })
    expect(refused).toMatchObject({ code: "ambiguous", message: "2 agents are called twin." })
    for (const uuid of twins) expect(refused.next).toContain(uuid)
  })

  it("says where to look when nobody has the name", async () => {
    expect(await refusalOf(["agent", "key", "nobody"], { env })).toMatchObject({
      code: "not_found",
      next: "See `chorus agent list`.",
    })
  })
})

describe("chorus agent archive", () => {
  it("takes an agent off the list and brings it back by its uuid", async () => {
    const { uuid } = await add("dave")
    expect((await chorusHere(["agent", "archive", "dave"], { env })).stdout).toBe(`archived dave ${uuid}\n`)
    expect(await list()).not.toContain("dave")
    expect(await list("--all")).toContain("dave")
    expect((await chorusHere(["agent", "archive", uuid, "--undo"], { env })).stdout).toBe(`brought back dave ${uuid}\n`)
    expect(await list()).toContain("dave")
  })

  it("lets the name go to another: an archived agent is found by its uuid alone", async () => {
    const first = await add("erin")
    await chorusHereJson(["agent", "archive", first.uuid], { env })
    const second = await add("erin")
    expect(await chorusHereJson<{ agentUuid: string }>(["agent", "key", "erin"], { env })).toMatchObject({
      agentUuid: second.uuid,
    })
    expect(await refusalOf(["agent", "archive", "frank"], { env })).toMatchObject({ code: "not_found" })
  })
})

describe("chorus agent list", () => {
  it("shows what each may do and when it was last there", async () => {
    const { stdout } = await chorusHere(["agent", "list"], { env })
    expect(stdout).toMatch(/^name +presets +last active +uuid\n/)
    expect(stdout).toMatch(/^both +pm,developer +never +[0-9a-f-]{36}$/m)
  })
})
