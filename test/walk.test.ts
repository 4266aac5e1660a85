import { join } from "node:path"
import type { tasks } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { chorus, startChorus } from "../packages/cli/test/chorus-process.ts"
import { leanTools } from "../packages/server/src/doors/lean-profile.ts"
import { barePlace, PROGRAMS, programPlace } from "./walk/agent.ts"
import { argumentsOf, blocksOf, codeIn, tableOf } from "./walk/documents.ts"
import { Mind } from "./walk/mind.ts"
import { signIn } from "./walk/person.ts"

const LISTED = [...leanTools(agentPermissions(["lead"], []))]
const GET_STARTED = blocksOf("get-started.md")
const ADD_PROJECT = 'chorus project add "Shop"'
const ORDERS = GET_STARTED.filter(({ language, text }) => language === "text" && !/http/.test(text))

/** Each way to connect an agent that docs/get-started.md has, by the name it gives the program. */
const WAYS = tableOf("get-started.md", "program").map(([program = "", how = ""]) => ({
  program: /\[(.+)\]/.exec(program)?.[1] ?? "",
  line: codeIn(how).join(" → "),
}))

it("the documents have the steps that are walked here, in this order", () => {
  expect(GET_STARTED.flatMap(({ language, text }) => (language === "sh" ? [text] : []))).toEqual([
    "npm start",
    "chorus demo",
    ADD_PROJECT,
    "chorus doctor",
    "chorus backup shop.backup",
  ])
  expect(WAYS.map(({ program }) => program)).toEqual([...Object.keys(PROGRAMS), "anything that speaks MCP"])
  expect(ORDERS.map(({ text }) => text)).toEqual([
    "Check in with Chorus, claim the new idea and ask me what you need to know.",
    "Build what is approved. Ask me when something is unclear.",
  ])
  expect(tableOf("way-of-working.md", "step").map(([step]) => step)).toEqual(
    ["Idea", "Questions", "Answers", "Proposal", "Approval", "Work", "Verification"].map((step) => `**${step}**`),
  )
})

it.each(WAYS)("an idea becomes verified work with $program, told only what it is told", async ({ program, line }) => {
  const mind = new Mind()
  const known = PROGRAMS[program]
  const words = blocksOf("mcp.md").find(({ text }) => text.startsWith("You work with Chorus"))?.text ?? ""
  await using place = await (known === undefined ? barePlace(mind, words) : programPlace(known, mind))
  const server = await startChorus([], place.env)
  try {
    const person = await signIn(server)
    const added = await chorus([...argumentsOf(ADD_PROJECT), "--json"], place.env)
    const { uuid: projectUuid } = JSON.parse(added.stdout) as { uuid: string }
    await using agent = await place.connect(server, line)
    const [plan = "", build = ""] = ORDERS.map(({ text }) => text)

    // Idea; questions and answers; a proposal that is rejected once, and approved.
    await person.call("chorus_pm_create_idea", { projectUuid, title: "Guests can pay without an account" })
    const planning = agent.obey(plan)
    const round = await person.needed("elaboration")
    const answer = (selectedOptionId: string) =>
      person.call("chorus_answer_elaboration", {
        ideaUuid: round.ideaUuid,
        roundUuid: round.uuid,
        answers: [{ questionId: "basket", selectedOptionId }],
      })
    await answer("keep")
    const { uuid: proposalUuid, title } = await person.needed("proposal")
    expect(title).toBe("Guest checkout")
    await person.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Call it Guest baskets." })
    const proposal = await person.needed("proposal")
    expect(proposal).toMatchObject({ uuid: proposalUuid, title: "Guest baskets" })
    await person.call("chorus_admin_approve_proposal", { proposalUuid })
    await planning

    // Work: a question in the middle, a change of mind, a hand-in that is sent back with evidence.
    const building = agent.obey(build)
    const question = await person.needed("attention")
    expect(question.attention?.options).toEqual(["cookie", "local storage"])
    await answer("drop")
    await person.call("chorus_answer_attention", { attentionUuid: question.uuid, answer: { text: "cookie" } })
    const { uuid: taskUuid } = await person.needed("task")
    const detail = () => person.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })
    const first = await detail()
    expect(first.reports[0]?.content).toBe("Kept in a cookie.")
    const failed = first.acceptanceCriteriaItems.map(({ uuid }) => ({
      uuid,
      status: "failed",
      evidence: "It was empty after a restart.",
    }))
    await person.call("chorus_mark_acceptance_criteria", { taskUuid, criteria: failed, sendBack: "Say for how long." })

    // Verification, of what was mended from the agent's own context.
    await person.needed("task")
    const mended = await detail()
    expect(mended.reports[0]?.content).toBe(
      "Say for how long. Mended: It was empty after a restart. Kept in a cookie. It goes with the session.",
    )
    const passing = mended.acceptanceCriteriaItems.map(({ uuid }) => uuid)
    await person.call("chorus_admin_verify_task", { taskUuid, passing })
    await building
    expect((await detail()).handIns.map(({ outcome }) => outcome)).toEqual(["returned", "accepted"])
    expect((await person.call<{ total: number }>("chorus_needs_you")).total).toBe(0)
    const { notifications } = await person.call<{ notifications: { action: string }[] }>("chorus_get_notifications")
    expect(notifications.filter(({ action }) => /_(requested|submitted|submitted_for_verify)$/.test(action))).toEqual(
      [],
    )

    expect(mind.waitedInVain, "times that it waited in vain").toBe(0)
    expect(agent.told(), "what it knows before its first call").toContain("chorus_checkin")
    for (const tool of new Set([...mind.calls, ...(agent.told().match(/\bchorus_[a-z_]+/g) ?? [])]))
      expect(LISTED, `${tool} is shown`).toContain(tool)
  } finally {
    await server.end()
  }
})

it("what connect makes may plan and build, and says so; a program connected before keeps what it may", async () => {
  const directory = temporaryDirectory()
  const data = join(directory.path, "data")
  const server = await startChorus(["--data", data])
  try {
    const env = { HOME: directory.path, XDG_CONFIG_HOME: join(directory.path, ".config") }
    const connected = await chorus(["connect", "opencode", "--data", data], env)
    expect(connected.stdout).toMatch(/added the agent opencode on .+, lead: it plans and builds/)
    const narrowed = await chorus(["connect", "opencode", "--preset", "developer", "--data", data], env)
    expect(narrowed.stdout).toContain("developer: it builds tasks; with --preset lead it plans too")
    expect((await chorus(["connect", "opencode", "--data", data], env)).stdout).toContain("developer: it builds tasks")
  } finally {
    await server.end()
    await directory.remove()
  }
})
