import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"

const env = { CHORUS_DATA: join(scratchFolder(), "data") }

interface Project {
  readonly uuid: string
  readonly name: string
  readonly description: string
  readonly status: string
}

describe("chorus project", () => {
  it("adds a project and says its name and uuid", async () => {
    const { code, stdout } = await chorusHere(["project", "add", "Shop"], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^added Shop [0-9a-f-]{36}\n$/)
  })

  it("puts a project into a group, with its description", async () => {
    const group = await chorusHereJson<{ uuid: string }>(
      ["call", "admin_create_project_group", '{"name":"Customers"}'],
      { env },
    )
    const added = await chorusHereJson<Project & { groupUuid: string }>(
      ["project", "add", "Till", "--description", "Takes money.", "--group", group.uuid],
      { env },
    )
    expect(added).toMatchObject({ name: "Till", description: "Takes money.", groupUuid: group.uuid })
  })

  it("lists in columns that stand straight under Chinese names too", async () => {
    await chorusHere(["project", "add", "项目"], { env })
    const [head = "", ...lines] = (await chorusHere(["project", "list"], { env })).stdout.trimEnd().split("\n")
    const status = head.indexOf("status")
    expect(lines).toHaveLength(3)
    expect(lines.find((line) => line.startsWith("项目"))?.indexOf("active")).toBe(status - 2)
    expect(lines.find((line) => line.startsWith("Shop"))?.indexOf("active")).toBe(status)
  })

  it("lists archived projects only when asked to", async () => {
    const gone = await chorusHereJson<Project>(["project", "add", "Gone"], { env })
    await chorusHereJson(["call", "update_project", JSON.stringify({ projectUuid: gone.uuid, status: "archived" })], {
      env,
    })
    const names = async (...more: string[]) =>
      (await chorusHereJson<Project[]>(["project", "list", ...more], { env })).map(({ name }) => name)
    expect(await names()).not.toContain("Gone")
    expect(await names("--all")).toContain("Gone")
  })

  it.each([
    ["a name of nothing", ["project", "add", ""], "invalid_input"],
    ["a name that would clear the screen", ["project", "add", "evil\u001b[2J"], "invalid_input"],
    ["a group that is no uuid", ["project", "add", "x", "--group", "customers"], "invalid_input"],
    [
      "a group that is not there",
      ["project", "add", "x", "--group", "00000000-0000-4000-8000-000000000000"],
      "not_found",
    ],
  ])("refuses %s", async (_, argv, code) => {
    expect(await refusalOf(argv, { env })).toMatchObject({ code })
  })
})

describe("chorus project import", () => {
  const file = join(scratchFolder(), "issues.json")
  const bring = (...more: string[]) => chorusHere(["project", "import", file, "--into", "shop", ...more], { env })

  it("says what would happen, does it, and does nothing twice", async () => {
    writeFileSync(
      file,
      JSON.stringify([
        { number: 2, title: "Pay\u001b[2J by card", state: "open", body: "Depends on #1 and #9" },
        { number: 1, title: "A cart", state: "open" },
      ]),
    )
    const before = await bring()
    expect(before.stdout).toMatch(/new +1 +A cart\n/)
    expect(before.stdout).toContain("2 new, 0 new comments\nNothing was changed.")
    const { stdout } = await bring("--apply")
    expect(stdout).toMatch(/added +2 +SHOP-2 +Pay.+by card\n/)
    expect(stdout).toContain("note 2 waits for 9 there, which was not brought\n")
    expect(stdout).not.toContain("\u001b[2J")
    expect((await bring("--apply")).stdout).toContain("2 unchanged, 0 new comments\n")
  })

  it("names the project that is not there", async () => {
    const refused = await refusalOf(["project", "import", file, "--into", "nowhere"], { env })
    expect(refused).toMatchObject({ code: "not_found", message: "There is no project nowhere." })
  })
})
