import { bodyOf, requestPermission, requestPlanApproval } from "@chorus/teams"
import { beforeEach, describe, expect, it } from "vitest"
import { chorusHere, scratchFolders, type Surroundings } from "../../test/command-line.ts"
import { type Crew, newCrew } from "../../test/team-crew.ts"

const folder = scratchFolders()
let crew: Crew["crew"]
let env: Crew["env"]

beforeEach(async () => {
  ;({ crew, env } = await newCrew(folder(), "ann"))
})

/** A person at their own terminal. */
const decide = (argv: readonly string[] = [], more: Surroundings = {}) =>
  chorusHere(["team", "decide", ...argv], { env, person: [], ...more })
const plan = () => requestPlanApproval(crew, "ann", { path: "plan.md", content: "# Rebuild the till" })
const permission = () =>
  requestPermission(crew, "ann", {
    toolName: "Bash",
    description: "Remove the old till",
    input: { command: "rm -r till" },
    toolUseId: "t1",
  } as never)
const toAnn = async () => (await crew.unread("ann")).map(({ entry }) => bodyOf(entry.text))

describe("chorus team decide", () => {
  it("shows what waits for a person, and that nothing does", async () => {
    expect((await decide()).stdout).toBe("Nothing waits for you.\n")
    const id = await plan()
    const { stdout } = await decide()
    expect(stdout).toMatch(/^request +member +what +says\n/)
    expect(stdout).toContain(id)
    expect(stdout).toMatch(/ann +plan +.*Rebuild the till/)
    expect(JSON.parse((await decide(["--json"])).stdout)).toMatchObject([
      { requestId: id, member: "ann", request: "plan" },
    ])
  })

  it("carries an approval and its mode to the member", async () => {
    const id = await plan()
    expect((await decide([id.slice(-6), "--approve", "--mode", "acceptEdits"])).stdout).toBe("approved\n")
    expect(await toAnn()).toMatchObject([
      { type: "plan_approval_response", requestId: id, approved: true, permissionMode: "acceptEdits" },
    ])
    expect((await decide()).stdout).toBe("Nothing waits for you.\n")
  })

  it("carries a refusal and its reason to the member", async () => {
    const id = await plan()
    expect((await decide([id, "--refuse", "Keep the tests."])).stdout).toBe("refused\n")
    expect(await toAnn()).toMatchObject([
      { type: "plan_approval_response", requestId: id, approved: false, feedback: "Keep the tests." },
    ])
  })

  it("answers a permission by the name of its tool", async () => {
    const id = await permission()
    expect((await decide()).stdout).toMatch(/ann +Bash +/)
    await decide([id, "--approve"])
    expect(await toAnn()).toMatchObject([{ type: "permission_response", request_id: id }])
  })

  it.each([
    ["both", ["--approve", "--refuse", "no"]],
    ["neither", []],
  ])("does not guess when %s is said", async (_, more) => {
    const id = await plan()
    const { code, stderr } = await decide([id, ...more])
    expect(code).toBe(1)
    expect(stderr).toContain("[say_which]")
    expect(await toAnn()).toEqual([])
  })

  it("does not approve with a mode that there is not", async () => {
    const { code, stderr } = await decide([await plan(), "--approve", "--mode", "acceptedits"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/Use one of .*acceptEdits/)
    expect(await toAnn()).toEqual([])
  })

  it("asks for more of an id when its end fits several, and knows one that is whole", async () => {
    const [first] = [await plan(), await permission()]
    expect((await decide(["", "--approve"])).stderr).toContain('More than one open request ends with "".')
    expect((await decide([first, "--approve"])).stdout).toBe("approved\n")
    expect((await decide(["nothing-like-it", "--approve"])).stderr).toContain(
      'No open request ends with "nothing-like-it". [no_such_request]',
    )
  })

  it.each(["CLAUDECODE", "CODEX_SANDBOX", "OPENCODE", "CHORUS_TEAM_MODE"])(
    "is not for an agent, even in a terminal: %s",
    async (name) => {
      await plan()
      const { code, stdout, stderr } = await decide([], { env: { ...env, [name]: "1" } })
      expect(code).toBe(1)
      expect(stdout).toBe("")
      expect(stderr).toContain("[needs_a_person]")
    },
  )
})
