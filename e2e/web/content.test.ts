import type { OutputOf, proposals } from "@chorus/contracts"
import { waitFor } from "@chorus/testing"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Furnished, furnish } from "./furnish.ts"
import { openStage, type Stage } from "./stage.ts"
import { letStand, signIn, visit, type Visit } from "./visitor.ts"

let stage: Stage
let all: Furnished
let visitor: Visit
let page: Page

beforeAll(async () => {
  stage = await openStage()
  all = await furnish(stage)
  visitor = await visit(stage, { motion: "no-preference" })
  page = visitor.page
  await signIn(page, stage.signIn)
})

afterAll(() => stage.close())

const go = (path: string) => page.goto(`${stage.url}/projects/${all.projectUuid}/${path}`)
const button = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true })
const dialog = () => page.getByRole("dialog")

describe("a task", () => {
  it("is talked about: a mention is picked by keys, an answer stands under what it answers, an agent's words appear by themselves", async () => {
    const taskUuid = all.taskUuids[7] ?? ""
    await go(`tasks/${taskUuid}`)
    const field = page.getByLabel(visitor.say("comments.placeholder"))
    await field.fill("")
    await field.pressSequentially("Please look, @Buil")
    await page.getByRole("option", { name: "Builder" }).waitFor()
    await field.press("Enter")
    await expect.poll(() => field.inputValue()).toContain(`@[Builder](agent:${all.builder.uuid})`)
    await field.press("Control+Enter")
    await page.locator(`[data-mention="${all.builder.uuid}"]`).waitFor()
    const { comments } = await all.owner("chorus_get_comments", { targetType: "task", targetUuid: taskUuid })
    await all.builder.call("chorus_add_comment", {
      targetType: "task",
      targetUuid: taskUuid,
      content: "I **see** it.",
      parentUuid: comments[0]?.uuid,
    })
    await page.locator("article", { hasText: "I see it." }).locator("strong").waitFor()
  })

  it("shows what was said long ago when asked for it", async () => {
    const taskUuid = all.taskUuids[8] ?? ""
    for (let at = 1; at <= 103; at++)
      await all.builder.call("chorus_add_comment", { targetType: "task", targetUuid: taskUuid, content: `note ${at}.` })
    await go(`tasks/${taskUuid}`)
    await page.getByText("note 103.").waitFor()
    expect(await page.getByText("note 3.", { exact: true }).count()).toBe(0)
    await button(visitor.say("comments.earlier", { count: 3 })).click()
    await page.getByText("note 1.", { exact: true }).waitFor()
    await page.getByText("note 3.", { exact: true }).waitFor()
    expect(await page.locator("main article").count()).toBe(103)
    expect(await button(visitor.say("comments.earlier", { count: 3 })).count()).toBe(0)
  })

  it("is judged criterion by criterion, and goes back to work with the reason", async () => {
    const taskUuid = all.taskUuids[5] ?? ""
    await go(`tasks/${taskUuid}`)
    await button(visitor.say("tasks.fail")).first().click()
    await dialog().getByLabel(visitor.say("needsYou.note")).fill("Tab order jumps at the voucher field.")
    await button(visitor.say("tasks.fail"), dialog()).click()
    await expect.poll(async () => (await all.owner("chorus_get_task", { taskUuid })).acceptanceStatus).toBe("failed")
    // The page behind the dialog is there again once that is closed, a moment after the verdict is kept.
    await button(visitor.say("needsYou.verify")).waitFor()
    await button(visitor.say("tasks.evidence")).first().click()
    await page.getByText("Tab order jumps at the voucher field.").waitFor()
    await button(visitor.say("needsYou.sendBack")).click()
    await dialog().getByLabel(visitor.say("sendBack.reason")).fill("Mend the order.")
    await button(visitor.say("needsYou.sendBack"), dialog()).click()
    await letStand(page, visitor.say)
    await page.locator("dl").getByText(visitor.say("tasks.status.in_progress")).waitFor()
  })

  it("shows who checks in and what they report without a reload", async () => {
    const taskUuid = all.taskUuids[6] ?? ""
    await go(`tasks/${taskUuid}`)
    await page.locator("dl").getByText(visitor.say("tasks.status.assigned")).waitFor()
    const session = await all.builder.call("chorus_create_session", { name: "delivery-dates" })
    await all.builder.call("chorus_start_task", { taskUuid, sessionUuid: session.uuid })
    await page.locator("dl").getByText("delivery-dates").waitFor()
    await all.builder.call("chorus_report_work", { taskUuid, report: "Half of it works." })
    await page.getByRole("tabpanel").getByText("Half of it works.").waitFor()
  })
})

it("a window is not closed over what was typed into a form, without a question", async () => {
  await go("settings")
  const wouldAsk = () => page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })))
  const description = page.getByRole("textbox", { name: visitor.say("project.description") })
  await description.waitFor()
  expect(await wouldAsk()).toBe(false)
  await description.fill("A shop by the sea")
  expect(await wouldAsk()).toBe(true)
  await button(visitor.say("action.save")).first().click()
  await page.getByText(visitor.say("action.saved")).waitFor()
  expect(await wouldAsk()).toBe(false)
  await page.goto(`${stage.url}/settings/agents`)
  await button(visitor.say("settings.agents.new")).first().click()
  expect(await wouldAsk()).toBe(false)
  await dialog().getByLabel(visitor.say("settings.name"), { exact: true }).fill("Ada")
  expect(await wouldAsk()).toBe(true)
})

describe("a proposal", () => {
  it("is sent back with a note, comes again with what changed on top, and is approved", async () => {
    const pending = await pendingProposal()
    await go(`proposals/${pending.uuid}`)
    await button(visitor.say("needsYou.reject")).click()
    expect(await button(visitor.say("needsYou.reject"), dialog()).isDisabled()).toBe(true)
    await dialog().getByLabel(visitor.say("needsYou.note")).fill("Say what happens when mail is down.")
    await button(visitor.say("needsYou.reject"), dialog()).click()
    await letStand(page, visitor.say)
    await page.getByText(visitor.say("proposals.status.draft")).waitFor()
    await all.planner.call("chorus_submit_plan", {
      projectUuid: all.projectUuid,
      proposalUuid: pending.uuid,
      title: pending.title,
      documents: [
        {
          type: "prd",
          title: "Receipts",
          content: `${"A receipt arrives within a minute of paying, readable without images. ".repeat(3)}\nMail that cannot be sent is tried again for a day.`,
        },
      ],
      tasks: [
        { key: "mail", title: "Send the receipt", criteria: ["Arrives within a minute", "Is tried again for a day"] },
      ],
    })
    const changes = page.getByRole("region", { name: visitor.say("proposals.changes") })
    await changes.getByText("Mail that cannot be sent is tried again for a day.").waitFor()
    await changes.getByText("Is tried again for a day", { exact: true }).waitFor()
    await button(visitor.say("needsYou.approve")).click()
    await button(visitor.say("needsYou.approve"), dialog()).click()
    await letStand(page, visitor.say)
    await page.getByText(visitor.say("proposals.status.approved"), { exact: true }).first().waitFor()
    await button("Send the receipt", page.locator("main"))
      .or(page.locator("main li button", { hasText: "Send the receipt" }))
      .first()
      .click()
    await page.getByRole("link", { name: visitor.say("proposals.openTask") }).click()
    await page.waitForURL(/\/tasks\//)
  })

  it("is put right by the person who reviews it, who is told when somebody else was faster", async () => {
    const sent = await all.planner.call("chorus_submit_plan", {
      projectUuid: all.projectUuid,
      ideaUuids: [all.ideaUuid],
      title: "Gift cards",
      documents: [
        {
          type: "prd",
          title: "Gift crads",
          content: "A gift card is bought like anything else and pays for anything but another gift card. ".repeat(2),
        },
      ],
      tasks: [
        { key: "buy", title: "Buy a card", criteria: ["It arrives by mail"] },
        { key: "pay", title: "Pay with a card", criteria: ["The rest stays on it"] },
      ],
    })
    const proposalUuid = sent.uuid
    await go(`proposals/${proposalUuid}`)
    await button(visitor.say("action.edit")).first().click()
    await page.getByLabel(visitor.say("tasks.title")).fill("Gift cards")
    await all.owner("chorus_pm_update_document_draft", {
      proposalUuid,
      draftUuid: sent.documentDrafts[0]?.draftUuid ?? "",
      title: "Vouchers",
    })
    await page
      .getByRole("alert")
      .getByText(visitor.say("documents.stale", { number: 2 }))
      .waitFor()
    await button(visitor.say("documents.overwrite")).click()
    await page.getByRole("tab", { name: "Gift cards" }).waitFor()

    await page.locator("main li button", { hasText: "Pay with a card" }).click()
    await button(visitor.say("action.edit"), page.locator(`#draft-${sent.taskDrafts[1]?.draftUuid}`)).click()
    await dialog()
      .getByRole("textbox", { name: visitor.say("proposals.criterion", { number: 1 }) })
      .fill("What is left stays on it")
    await button(visitor.say("proposals.addCriterion"), dialog()).click()
    await dialog()
      .getByRole("textbox", { name: visitor.say("proposals.criterion", { number: 2 }) })
      .fill("It works without an account")
    await dialog().getByRole("checkbox", { name: "Buy a card" }).click()
    await button(visitor.say("action.save"), dialog()).click()
    const changes = page.getByRole("region", { name: visitor.say("proposals.changes") })
    await changes.getByText("It works without an account").waitFor()
    await button(visitor.say("needsYou.approve")).click()
    await button(visitor.say("needsYou.approve"), dialog()).click()
    await letStand(page, visitor.say)
    await page.getByText(visitor.say("proposals.status.approved"), { exact: true }).first().waitFor()
    const approved = await all.owner("chorus_get_proposal", { proposalUuid, section: "full" })
    expect(approved.taskDrafts?.[1]).toMatchObject({
      acceptanceCriteriaItems: [
        { description: "What is left stays on it" },
        { description: "It works without an account" },
      ],
      dependsOnDraftUuids: [sent.taskDrafts[0]?.draftUuid],
    })
    expect(approved.documentDrafts).toMatchObject([{ title: "Gift cards", type: "prd" }])
  })
})

describe("a document", () => {
  it("runs nothing, calls nobody and links nowhere odd, whatever an agent wrote into it", async () => {
    visitor.faults.length = 0
    const hostile = [
      "<script>globalThis.caught = 1</script>",
      "<img src=x onerror='globalThis.caught = 1'>",
      "![pixel](https://elsewhere.example/pixel.gif)",
      "[press me](javascript:globalThis.caught=1)",
      '```mermaid\nflowchart LR\n  a["<img src=x onerror=globalThis.caught=1>"] --> b\n  click a "javascript:globalThis.caught=1"\n```',
    ].join("\n\n")
    const { uuid } = await all.planner.call("chorus_pm_create_document", {
      projectUuid: all.projectUuid,
      type: "guide",
      title: "Not what it seems",
      content: hostile,
    })
    await go(`documents/${uuid}`)
    await page.locator("main article figure img").waitFor()
    await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 50))
    expect(await page.evaluate(() => (globalThis as { caught?: number }).caught)).toBeUndefined()
    expect(await page.locator("main article a[href^='javascript']").count()).toBe(0)
    expect(await page.locator("main article img:not([src^='data:'])").count()).toBe(0)
    expect(visitor.faults).toEqual([])
  })

  it("is not written over unknowingly: who saved meanwhile is shown, what was typed is kept", async () => {
    const { documentUuid } = all
    await go(`documents/${documentUuid}`)
    await button(visitor.say("action.edit")).click()
    const field = page.getByRole("textbox", { name: visitor.say("documents.content") })
    await field.fill("# Mine\n\nWritten by me.")
    const before = await all.owner("chorus_get_document", { documentUuid })
    // What was approved is not for an agent to rewrite; what it asks for is done when a person agrees.
    const asked = await all.planner.call("chorus_request_change", {
      targetType: "document",
      targetUuid: documentUuid,
      reason: "Something is missing.",
      content: `${before.content}\n\nWritten by the planner.`,
    })
    await all.owner("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
    await page
      .getByRole("alert")
      .getByText(visitor.say("documents.changedBy", { name: "Planner", number: before.version + 1 }))
      .waitFor()
    expect(await field.inputValue()).toContain("Written by me.")
    await button(visitor.say("documents.overwrite")).click()
    await page.locator("main article").getByText("Written by me.").waitFor()

    // Both versions are there; the planner's comes back with one click.
    await page.getByRole("tab", { name: visitor.say("documents.versions") }).click()
    await page
      .locator("main li", { hasText: visitor.say("documents.version", { number: before.version + 1 }) })
      .getByRole("button", { name: visitor.say("documents.restore") })
      .click()
    await expect
      .poll(async () => (await all.owner("chorus_get_document", { documentUuid })).content)
      .toContain("Written by the planner.")
    await page.getByRole("tab", { name: visitor.say("documents.changes") }).click()
    await page
      .getByRole("group", { name: visitor.say("documents.changes") })
      .getByText("Written by the planner.")
      .waitFor()
  })
})

describe("words that an agent changes while a person's are on their way", () => {
  const kinds = {
    task: {
      operation: "chorus_update_task",
      make: async () => {
        const task = { title: "Seal", description: "One.", acceptanceCriteriaItems: [{ description: "It is dry" }] }
        const made = await all.planner.call("chorus_create_tasks", { projectUuid: all.projectUuid, tasks: [task] })
        return made.tasks[0]?.uuid ?? ""
      },
      field: "tasks.description",
      overtake: (taskUuid: string) =>
        all.planner.call("chorus_update_task", { taskUuid, title: "Seal the roof", description: "Theirs." }),
      now: async (taskUuid: string) => {
        const { title, description, version } = await all.owner("chorus_get_task", { taskUuid })
        return { title, words: description, version }
      },
    },
    idea: {
      operation: "chorus_edit_idea",
      make: async () =>
        (
          await all.planner.call("chorus_pm_create_idea", {
            projectUuid: all.projectUuid,
            title: "Seal",
            content: "One.",
          })
        ).uuid,
      field: "ideas.content",
      overtake: (ideaUuid: string) =>
        all.planner.call("chorus_edit_idea", { ideaUuid, title: "Seal the roof", content: "Theirs." }),
      now: async (ideaUuid: string) => {
        const { title, content, version } = await all.owner("chorus_get_idea", { ideaUuid })
        return { title, words: content, version }
      },
    },
  } as const

  it.each(["task", "idea"] as const)("of %s are shown beside them; nothing is written over unasked", async (kind) => {
    const { operation, make, field, overtake, now } = kinds[kind]
    const uuid = await make()
    await go(`${kind}s/${uuid}`)
    await button(visitor.say("action.more"), page.getByRole("main")).click()
    await page.getByRole("menuitem", { name: visitor.say("action.edit"), exact: true }).click()
    const words = page.getByRole("textbox", { name: visitor.say(field) })
    await words.fill("Mine.")
    await page.route(
      `**/api/v1/${operation}`,
      async (route) => {
        await overtake(uuid)
        await route.continue()
      },
      { times: 1 },
    )
    await button(visitor.say("action.save")).click()
    const note = page.getByRole("alert")
    await note.getByText(visitor.say("documents.changedBy", { name: "Planner", number: 2 })).waitFor()
    await note.getByText("Theirs.").waitFor()
    expect([await words.inputValue(), await now(uuid)]).toEqual([
      "Mine.",
      { title: "Seal the roof", words: "Theirs.", version: 2 },
    ])
    await button(visitor.say("documents.overwrite")).click()
    // The title was never touched here, so the agent's stays.
    await expect.poll(() => now(uuid)).toEqual({ title: "Seal the roof", words: "Mine.", version: 3 })
  })
})

describe("a team's room", () => {
  it("fills as the team works, and carries a person's words to a member", async () => {
    const at = new Date().toISOString()
    const fact = { team: "checkout", at }
    const member = (name: string, color: string, lead: boolean) => ({
      ...fact,
      fact: "member" as const,
      member: { agentId: name, name, joinedAt: 1, color },
      state: "working" as const,
      lead,
    })
    const task = (id: string, subject: string, blockedBy: string[]) => ({
      ...fact,
      fact: "task" as const,
      task: { id, subject, description: "", status: "pending" as const, blocks: [], blockedBy },
      links: [],
    })
    const report = (teamFacts: object[]) =>
      all.builder.call("chorus_report_machine", { machine: "studio", teamFacts: teamFacts as never })
    await page.goto(`${stage.url}/teams`)
    await page.getByText(visitor.say("teams.empty")).waitFor()
    await report([
      { ...fact, fact: "team", era: "named", ledByChorus: true },
      member("team-lead", "blue", true),
      member("alice", "green", false),
      task("1", "Find the index", []),
      task("2", "Use the index", ["1"]),
    ])
    await page.getByRole("link", { name: /checkout/ }).click()
    await page
      .getByRole("group", { name: visitor.say("ideas.tasks") })
      .getByText("Use the index")
      .waitFor()
    await report([
      {
        ...fact,
        fact: "message",
        id: "m1",
        from: "alice",
        to: "team-lead",
        kind: "message",
        text: "The index is **there**.",
        sentAt: at,
      },
    ])
    await page.getByText("The index is there.").waitFor()

    await page.getByRole("combobox").selectOption("alice")
    await page.getByLabel(visitor.say("teams.writePlaceholder")).fill("Thank you. Rest now.")
    await button(visitor.say("teams.send")).click()
    await page.getByText(visitor.say("teams.undelivered")).waitFor()
    const { deliveries } = await all.builder.call("chorus_fetch_deliveries", { machine: "studio" })
    expect(deliveries[0]?.payload).toMatchObject({
      decision: { decision: "message", to: "alice", text: "Thank you. Rest now." },
    })
    await all.builder.call("chorus_settle_delivery", { deliveryUuid: deliveries[0]?.uuid ?? "" })
    await page.getByText(visitor.say("teams.delivered")).waitFor()

    // A member that waits for its plan is answered in the room itself.
    const asked = await all.builder.call("chorus_create_attention", {
      kind: "plan",
      title: "alice wants to begin",
      detail: { machine: "studio", team: "checkout", member: "alice", text: "1. Add the index" },
    })
    const waiting = page.locator("main li", { hasText: "alice wants to begin" })
    await waiting.getByText("1. Add the index", { exact: true }).waitFor()
    await button(visitor.say("needsYou.approve"), waiting).click()
    await waiting.waitFor({ state: "detached" })
    expect(await all.builder.call("chorus_get_attention", { attentionUuid: asked.uuid })).toMatchObject({
      state: "answered",
      answer: { decision: "approve" },
    })
  })
})

describe("plugins", () => {
  const tab = (name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) })
  const hook = { kind: "hook" as const, where: "PostToolUse", does: "./lint.sh" }
  const installed = {
    id: "lint@tools",
    version: "1.0.0",
    scope: "user" as const,
    enabled: true,
    contentHash: "sha256:aa11",
    surfaceHash: "sha256:bb22",
    surface: [hook],
    errors: [],
  }
  const offers = [
    {
      id: "lint@tools",
      version: "2.0.0",
      contentHash: "sha256:dd44",
      surfaceHash: "sha256:ee55",
      description: "Lints what was edited.",
      surface: [
        { ...hook, does: "./lint.sh --fix" },
        { kind: "download" as const, where: "PostToolUse", does: "npx fetches eslint" },
      ],
    },
    {
      id: "words@tools",
      version: "1.1.0",
      contentHash: "sha256:ff66",
      surfaceHash: "sha256:0077",
      description: "How we write.",
      surface: [],
    },
    { id: "far@tools", description: "Lies elsewhere." },
  ]
  const report = (plugins: (typeof installed)[]) =>
    all.builder.call("chorus_report_machine", {
      machine: "studio",
      inventory: {
        machine: "studio",
        takenAt: new Date().toISOString(),
        marketplaces: [{ name: "tools", source: { source: "github", repo: "acme/tools" } }],
        plugins,
        offers,
      },
    })

  it("are approved byte for byte, and machines that differ are named", async () => {
    await report([installed])
    await page.goto(`${stage.url}/plugins`)
    await tab(visitor.say("plugins.machines")).click()
    await button(visitor.say("plugins.add")).click()
    await dialog().getByText("./lint.sh").waitFor()
    await button(visitor.say("plugins.approve"), dialog()).click()
    await page.getByText(visitor.say("plugins.asAgreed")).waitFor()
    await report([{ ...installed, contentHash: "sha256:cc33" }])
    await page.getByText(visitor.say("plugins.deviation.changed_content")).waitFor()
    expect((await all.owner("chorus_get_curated_plugins", {})).plugins).toMatchObject([
      { id: "lint@tools", contentHash: "sha256:aa11", surfaceHash: "sha256:bb22" },
    ])
  })

  it("are browsed by what they run, two compared line by line, and the newer approved beside the old", async () => {
    await page.goto(`${stage.url}/plugins`)
    await tab(visitor.say("plugins.browse")).click()
    const row = (name: string, version: string) =>
      page.locator("main li", { hasText: name }).filter({ hasText: version })
    await row("words", "1.1.0").getByText(visitor.say("plugins.textOnly")).waitFor()
    await page
      .locator("main li", { hasText: "Lies elsewhere." })
      .getByText(visitor.say("plugins.surfaceUnknown"))
      .waitFor()
    await row("lint", "2.0.0")
      .getByText(visitor.say("plugins.downloads", { count: 1 }))
      .waitFor()
    await page.getByLabel(visitor.say("plugins.find")).fill("lint")
    await expect.poll(() => page.getByRole("button", { name: "words", exact: true }).count()).toBe(0)
    await page
      .getByRole("checkbox", { name: visitor.say("plugins.chooseToCompare", { name: "lint@tools 2.0.0" }) })
      .click()
    await page
      .locator("main li", { hasText: visitor.say("plugins.approved") })
      .getByRole("checkbox")
      .click()
    await button(visitor.say("plugins.compare")).click()
    const line = dialog().getByRole("row", { name: new RegExp(visitor.say("plugins.kind.hook")) })
    await line.getByText("./lint.sh --fix", { exact: true }).waitFor()
    await line.getByText("./lint.sh", { exact: true }).waitFor()
    await dialog().getByText(visitor.say("plugins.pair.only-left")).waitFor()
    await page.keyboard.press("Escape")
    await button(visitor.say("plugins.update"), row("lint", "2.0.0")).click()
    await dialog().getByText(visitor.say("plugins.surfaceChanged")).waitFor()
    await button(visitor.say("plugins.approve"), dialog()).click()
    await expect
      .poll(async () => (await all.owner("chorus_get_curated_plugins", {})).plugins)
      .toMatchObject([{ id: "lint@tools", version: "2.0.0", contentHash: "sha256:dd44", surface: offers[0]?.surface }])
  })
})

describe("the office", () => {
  it("seats a hundred people on less than 15 % of one core", { timeout: 120_000, tags: ["stress"] }, async () => {
    const taskUuid = all.taskUuids[1] ?? ""
    for (let at = 0; at < 100; at++) {
      const { uuid } = await all.builder.call("chorus_create_session", { name: `worker ${at}` })
      if (at % 2 === 0) await all.builder.call("chorus_session_checkin_task", { sessionUuid: uuid, taskUuid })
    }
    await page.goto(`${stage.url}/office`)
    const people = page.getByRole("list", { name: visitor.say("office.people") }).getByRole("listitem")
    await waitFor(async () => (await people.count()) >= 100, 60_000, "everybody to sit")
    const share = await coreShare(10)
    console.info(`office with ${await people.count()} people: ${(share * 100).toFixed(1)} % of one core`)
    expect(share).toBeLessThan(0.15)
  })
})

async function pendingProposal(): Promise<OutputOf<typeof proposals.getProposals>["proposals"][number]> {
  const found = await all.owner("chorus_get_proposals", { projectUuid: all.projectUuid, status: "pending" })
  const first = found.proposals[0]
  if (first === undefined) throw new Error("nothing waits for approval")
  return first
}

/** How much of one core all processes of the browser together use while nobody touches the page. */
async function coreShare(seconds: number): Promise<number> {
  const session = await stage.browser.newBrowserCDPSession()
  const spent = async () =>
    (await session.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  const [before, from] = [await spent(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  return ((await spent()) - before) / ((performance.now() - from) / 1000)
}
