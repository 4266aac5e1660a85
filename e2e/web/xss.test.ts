import type { InputOf, machines } from "@chorus/contracts"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CANARY, ELSEWHERE, XSS } from "../../test/faults/xss-payloads.ts"
import { type Furnished, furnish } from "./furnish.ts"
import { openMachineRoom } from "./machine-room.ts"
import { PAGE_NAMES, pageCalled } from "./pages.ts"
import { openStage, type Stage } from "./stage.ts"
import { type Visit, visit } from "./visitor.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
/** How many shapes each field gets: under stress all, every day some, others in each field. Comments and documents always get all. */
const EACH = STRESS ? XSS.length : 12
/** Pages that show little of what others wrote, or the same as another one; every day the rest is enough. */
const ALIKE = new Set(["board-lanes", "board-task", "idea", "proposal", "task", "document", "insights", "project-settings", "plugins-browse", "welcome", "settings-profile", "settings-webhooks", "settings-workspace", "shortcuts"])
const PAGES = PAGE_NAMES.filter((name) => STRESS || !ALIKE.has(name))
const AT = "2026-01-01T09:00:00.000Z"

let stage: Stage
let all: Furnished
let visitor: Visit
let poisoned: Poisoned
const dialogs: string[] = []
const refused: string[] = []

beforeAll(async () => {
  stage = await openStage()
  all = await furnish(stage)
  await openMachineRoom(all.owner, all.builder)
  poisoned = await poison(all)
  visitor = await visit(stage, { motion: "no-preference" })
  await visitor.context.exposeFunction("policyRefused", (what: string) => refused.push(what))
  await visitor.context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => (globalThis as unknown as { policyRefused(what: string): void }).policyRefused(`${violatedDirective} ${blockedURI}`))
  })
  visitor.page.on("dialog", (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await visitor.page.goto(stage.signIn)
  await visitor.page.getByRole("navigation").first().waitFor()
})

afterAll(async () => {
  await visitor.context.close()
  await stage.close()
})

describe("text made to run", () => {
  it("came in through every kind of text there is", () => {
    expect(XSS.length).toBeGreaterThanOrEqual(60)
    expect(new Set(XSS.map(({ text }) => text)).size).toBe(XSS.length)
  })

  it.each(PAGES)("runs nothing and fetches nothing on the page %s", async (name) => {
    const { path, settled, keys } = pageCalled(name, all)
    await look(path, settled, keys)
  })

  it("runs nothing in a task with everything that can be said about it", async () => {
    await look(`/projects/${all.projectUuid}/tasks/${poisoned.taskUuid}`, "main h2")
    // Each of them is there to be read.
    await visitor.page.getByText(`window.${CANARY}=1`).first().waitFor()
    await look(`/projects/${all.projectUuid}/board?task=${poisoned.taskUuid}`, "[role=dialog] h2")
  })

  it("runs nothing in documents, ideas, proposals and teams", async () => {
    for (const uuid of poisoned.documentUuids) await look(`/projects/${all.projectUuid}/documents/${uuid}`, "main h1, main h2")
    await look(`/projects/${all.projectUuid}/ideas/${poisoned.ideaUuid}`, "main article, main h2")
    await look(`/projects/${all.projectUuid}/proposals/${poisoned.proposalUuid}`, "main h2")
    await look(`/teams/${poisoned.teamUuid}`, "main h1, main h2")
    await look(`/projects/${poisoned.projectUuid}/board`, "main")
  })

  it("runs nothing in what is found by it", async () => {
    await visitor.page.goto(`${stage.url}/projects/${all.projectUuid}/board`)
    await visitor.page.locator("[data-session]").first().waitFor()
    await visitor.page.keyboard.press("Control+k")
    await visitor.page.keyboard.type(CANARY)
    await visitor.page.getByRole("option").filter({ hasText: CANARY }).first().waitFor()
    await harmless("the palette")
  })
})

async function look(path: string, settled: string, keys?: string): Promise<void> {
  await visitor.page.goto(`${stage.url}${path}`)
  if (keys !== undefined) {
    await visitor.page.locator("[data-session]").first().waitFor()
    await visitor.page.keyboard.press(keys)
  }
  await visitor.page.locator(settled).first().waitFor()
  await harmless(path)
}

/** Nothing ran, nothing was fetched, nothing waits for a hand to set it off; and no policy had to step in. */
async function harmless(where: string): Promise<void> {
  // What a handler of a picture or a frame does, it does within a moment of being there.
  await visitor.page.evaluate(() => new Promise((rest) => requestAnimationFrame(() => setTimeout(rest, 0))))
  expect(await visitor.page.evaluate((name) => name in globalThis, CANARY), `${where}: something ran`).toBe(false)
  expect(await traps(visitor.page), where).toEqual([])
  expect(dialogs, where).toEqual([])
  expect(refused, where).toEqual([])
  expect(visitor.faults, where).toEqual([])
}

/** Elements that would run or fetch when touched, opened or looked at. */
function traps(page: Page): Promise<string[]> {
  return page.evaluate((elsewhere) => {
    const found: string[] = []
    for (const element of document.querySelectorAll("*")) {
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "FRAME", "APPLET"].includes(element.tagName)) found.push(element.outerHTML)
      if (element.tagName === "SCRIPT" && !(element as HTMLScriptElement).src.startsWith(location.origin)) found.push(element.outerHTML)
      if (element.tagName === "META" && element.hasAttribute("http-equiv")) found.push(element.outerHTML)
      for (const { name, value } of element.attributes) {
        const leads = ["href", "src", "srcset", "action", "formaction", "data", "poster", "xlink:href"].includes(name)
        const drawing = element.tagName === "IMG" && value.startsWith("data:image/svg+xml")
        if (name.startsWith("on")) found.push(`${element.tagName} ${name}`)
        if (leads && !drawing && /^\s*(javascript|vbscript|data|file):/i.test(value)) found.push(`${element.tagName} ${name} ${value}`)
        if (name === "style" && value.includes(elsewhere)) found.push(`style ${value}`)
        if (["src", "srcset", "poster", "data"].includes(name) && !drawing && value.includes(elsewhere)) found.push(`${element.tagName} ${name} ${value}`)
      }
      for (const link of element instanceof HTMLAnchorElement && element.host !== location.host && element.href !== "" ? [element] : []) if (!link.rel.includes("noopener")) found.push(`link ${link.href}`)
    }
    return found
  }, ELSEWHERE)
}

interface Poisoned {
  readonly taskUuid: string
  readonly ideaUuid: string
  readonly proposalUuid: string
  readonly teamUuid: string
  readonly projectUuid: string
  readonly documentUuids: readonly string[]
}

let turn = 0

/** The next few shapes, so that each field gets others. */
function shapes(count = EACH): string[] {
  turn += count
  return Array.from({ length: count }, (_, at) => XSS[(turn + at) % XSS.length]?.text ?? "")
}

const prose = (text: string) => text.replaceAll("\u0001", " ").replaceAll("\f", " ")
const line = (text: string, most = 256) => prose(text).replaceAll(/\s+/g, " ").trim().slice(0, most)

/** Puts hostile text wherever somebody can put text. */
async function poison({ owner, builder, planner, reviewer, projectUuid }: Furnished): Promise<Poisoned> {
  const every = XSS.map(({ text }) => prose(text))
  for (const text of shapes()) {
    const group = await owner("chorus_admin_create_project_group", { name: line(text), description: prose(text) })
    const project = await owner("chorus_admin_create_project", { name: line(text), description: prose(text) })
    await owner("chorus_admin_move_project_to_group", { projectUuid: project.uuid, groupUuid: group.uuid })
    await owner("chorus_create_agent", { name: line(text, 80), persona: prose(text), systemPrompt: prose(text), presets: ["developer"] })
    await owner("chorus_invite_member", { name: line(text, 80), email: `x${turn}-${Math.random().toString(36).slice(2)}@example.test`, role: "viewer" })
    await builder.call("chorus_create_attention", { title: line(text), projectUuid, detail: { tool: text, command: text, [line(text, 60)]: text } })
  }
  const idea = await owner("chorus_pm_create_idea", { projectUuid, title: line(shapes(1)[0] ?? ""), content: every.join("\n\n"), references: [{ type: "docs", url: `https://${ELSEWHERE}/`, title: line(shapes(1)[0] ?? ""), notes: shapes(1)[0] ?? "" }] })
  for (const text of shapes()) await owner("chorus_pm_create_idea", { projectUuid, title: line(text), content: prose(text) })
  for (const text of shapes()) await builder.call("chorus_add_attachment", { targetType: "idea", targetUuid: idea.uuid, name: line(text, 200).replaceAll(/[/\\]/g, "-"), mediaType: "text/html", contentBase64: Buffer.from(text).toString("base64") })
  await planner.call("chorus_claim_idea", { ideaUuid: idea.uuid })
  const questions = shapes(10).map((text, at) => ({ id: `q${at}`, text: prose(text), category: "scope" as const, options: shapes(3).map((label, option) => ({ id: `o${option}`, label: line(label, 200), description: prose(label) })) }))
  await planner.call("chorus_pm_start_elaboration", { ideaUuid: idea.uuid, depth: "standard", questions })
  await owner("chorus_answer_elaboration", { ideaUuid: idea.uuid, answers: questions.map(({ id }, at) => ({ questionId: id, selectedOptionId: "o0", customText: prose(shapes(1)[0] ?? String(at)) })) })
  await owner("chorus_pm_validate_elaboration", { ideaUuid: idea.uuid })
  const proposal = await planner.call("chorus_submit_plan", {
    projectUuid,
    title: line(shapes(1)[0] ?? ""),
    description: shapes().map(prose).join("\n\n"),
    ideaUuids: [idea.uuid],
    documents: shapes(6).map((text) => ({ type: "prd" as const, title: line(text), content: `${prose(text)}\n\n${"Words that make it long enough. ".repeat(8)}` })),
    tasks: shapes(6).map((text, at) => ({ key: `k${at}`, title: line(text), description: prose(text), criteria: shapes(3).map((criterion) => line(criterion, 2000)) })),
  })
  const { tasks } = await owner("chorus_create_tasks", { projectUuid, tasks: shapes(EACH + 1).map((text) => ({ title: line(text), description: prose(text), acceptanceCriteriaItems: shapes(3).map((criterion) => ({ description: line(criterion, 2000), command: line(criterion, 2000) })) })) })
  const taskUuid = tasks[0]?.uuid ?? ""
  for (const content of every) await builder.call("chorus_add_comment", { targetType: "task", targetUuid: taskUuid, content })
  await poisonWork({ builder, reviewer, taskUuid })
  const documentUuids: string[] = []
  for (let from = 0; from < every.length; from += 20) documentUuids.push((await planner.call("chorus_pm_create_document", { projectUuid, type: "adr", title: line(shapes(1)[0] ?? ""), content: every.slice(from, from + 20).join("\n\n") })).uuid)
  await builder.call("chorus_report_machine", hostileMachine())
  const { teams } = await owner("chorus_list_teams", {})
  const projects = await owner("chorus_list_projects", { pageSize: 1 })
  return { taskUuid, ideaUuid: idea.uuid, proposalUuid: proposal.uuid, teamUuid: teams[0]?.uuid ?? "", projectUuid: projects.projects[0]?.uuid ?? "", documentUuids }
}

async function poisonWork({ builder, reviewer, taskUuid }: Pick<Furnished, "builder" | "reviewer"> & { taskUuid: string }): Promise<void> {
  const sessions: string[] = []
  for (const text of shapes(4)) sessions.push((await builder.call("chorus_create_session", { name: line(text, 120), description: prose(text), source: line(text, 40), machine: line(text, 120) })).uuid)
  await builder.call("chorus_start_task", { taskUuid, sessionUuid: sessions[0] })
  for (const text of shapes()) await builder.call("chorus_report_work", { taskUuid, report: prose(text) })
  for (const text of shapes(4)) await builder.call("chorus_add_reference", { targetType: "task", targetUuid: taskUuid, type: "docs", url: `https://${ELSEWHERE}/"onmouseover="x`, title: line(text), notes: prose(text) })
  await builder.call("chorus_reserve_paths", { taskUuid, globs: ["src/<img src=x onerror=window.__taken=1>/**"], reason: line(shapes(1)[0] ?? "", 500) })
  await builder.call("chorus_report_usage", { taskUuid, model: line(shapes(1)[0] ?? "", 120), inputTokens: 1 })
  const { acceptanceCriteriaItems } = await builder.call("chorus_get_task", { taskUuid })
  await builder.call("chorus_report_criteria_self_check", { taskUuid, criteria: acceptanceCriteriaItems.map(({ uuid }, at) => ({ uuid, devStatus: "passed" as const, devEvidence: shapes(4).map(prose).join("\n\n") + at })) })
  await reviewer.call("chorus_submit_review", { targetType: "task", targetUuid: taskUuid, verdict: "fail", summary: shapes(6).map(prose).join("\n\n"), findings: shapes().map((text) => ({ severity: "blocker" as const, text: prose(text) })) })
}

/** A machine whose every word is hostile: terminals, a team, plugins. */
function hostileMachine(): InputOf<typeof machines.reportMachine> {
  const about = { team: "session-deadbeef", at: AT }
  const member = (name: string) => ({ agentId: `${name}@x`, name, joinedAt: 1, tmuxPaneId: "", cwd: name, subscriptions: [], color: name })
  return {
    machine: line(shapes(1)[0] ?? "", 120),
    terminals: shapes().map((text, at) => ({ terminalId: `x${at}`, agent: "claude" as const, state: at % 2 === 0 ? ("running" as const) : ("needsInput" as const), since: Date.now(), source: "claude:PreToolUse", title: line(text), detail: line(text), summary: line(text), exitCode: null, resumeCommand: null, reason: line(text) })),
    teamFacts: [
      { ...about, fact: "team", era: "session", ledByChorus: false, description: line(shapes(1)[0] ?? "") },
      { ...about, fact: "member", member: member("team-lead"), state: "working", lead: true },
      ...shapes(4).map((text) => ({ ...about, fact: "member" as const, member: member(line(text, 60)), state: "working" as const, lead: false })),
      ...shapes().map((text, at) => ({ ...about, fact: "message" as const, id: `m${at}`, from: "team-lead", to: "team-lead", kind: "message" as const, text: prose(text), sentAt: AT })),
      ...shapes(6).map((text, at) => ({ ...about, fact: "task" as const, task: { id: String(at + 1), subject: line(text), description: prose(text), status: "pending" as const, blocks: [], blockedBy: [] }, links: [] })),
    ],
    inventory: {
      machine: "x",
      takenAt: AT,
      marketplaces: [],
      plugins: shapes(6).map((text, at) => ({ id: `${line(text, 60)}@x${at}`, version: line(text, 40), scope: "user" as const, enabled: true, contentHash: "a1", surfaceHash: line(text, 40), errors: [line(text)] })),
    },
  }
}
