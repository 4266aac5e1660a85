/** @module-tag stress */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  agentProgram,
  cacheDirectory,
  isRunning,
  killTree,
  launchBrowser,
  runAgent,
  type ScratchHome,
  scratchHome,
  startModel,
  temporaryDirectory,
} from "@chorus/testing"
import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { letStand, visit } from "../web/visitor.ts"
import { RENEW } from "../pictures.ts"
import { openCamera } from "./camera.ts"
import { Cast, PROMPTS, type Script } from "./cast.ts"
import { cloneRepository } from "./clone.ts"
import { builtBy, IDEA, PLAN, PROPOSAL, QUESTION } from "./plan.ts"
import { tally } from "./tally.ts"

/** Facts are waited for; a loaded machine may take its time. */
const PATIENCE = 120_000
/** What the session of each program is called where its hooks open it. */
const BADGES = { claude: "Claude Code in project", codex: "Codex in project", opencode: "OpenCode in project" } as const
/** What the skill and one part of it may cost who needs them. */
const SKILL_BUDGET = 850

it(
  "leads a newcomer from a clone to finished work, by people on the page and real agents beside them, and into a backup",
  { timeout: 900_000 },
  async () => {
    const began = performance.now()
    const figure = (text: string) => process.stdout.write(`  figure: ${text}\n`)
    const mark = (what: string) => figure(`${((performance.now() - began) / 1000).toFixed(1)} s ${what}`)
    const script: Script = { projectUuid: "", ideaUuid: "", taskUuids: new Map() }
    const cast = new Cast(script)
    await using model = await startModel(cast.play, { title: "Recipe links" })
    await using desk = scratchHome({ model })
    await using workshop = scratchHome({ model })
    await using data = temporaryDirectory("data-")
    // Members and the companion outlive whoever started them; a journey that broke off takes them along.
    await using _left = {
      [Symbol.asyncDispose]: () =>
        endProcesses(
          join(workshop.path, ".claude", "chorus", "teams", "recipes", "hosts"),
          join(data.path, "first", "companion"),
        ),
    }
    await using clone = await cloneRepository()
    const [claude, codex, opencode] = await Promise.all([
      agentProgram("claude-code", "2.1.325"),
      agentProgram("codex"),
      agentProgram("opencode"),
    ])
    const programs = [claude, codex, opencode].map((path) => dirname(path)).join(":")
    const environmentOf = (home: ScratchHome) => ({
      ...home.environment,
      PATH: `${programs}:${home.environment["PATH"]}`,
      CHORUS_CACHE: cacheDirectory(),
      CHORUS_DATA: join(data.path, "first"),
      CHORUS_SOCK: join(home.path, "status.sock"),
      ENABLE_TOOL_SEARCH: "false",
    })
    const [atDesk, inWorkshop] = [environmentOf(desk), environmentOf(workshop)]
    mark("cloned")

    // npm start, and the link it prints.
    const browserComes = launchBrowser()
    const server = await clone.start(atDesk, "--port", "0")
    mark("started")
    await using browser = await browserComes
    const camera = openCamera()
    const { page, say, tab, faults } = await visit(
      { url: server.url, browser },
      { motion: RENEW ? "no-preference" : "reduce" },
    )
    const button = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true })
    const patient = (each: Page) => (each.setDefaultTimeout(PATIENCE), each)
    patient(page)
    await page.goto(server.signIn ?? "")
    await page.getByRole("heading", { name: say("welcome.title") }).waitFor()

    // An agent is made on the page, and the command that the page shows sets up Claude Code, as the page says by itself.
    await button(say("welcome.create")).click()
    const shown = (await page.locator("code").first().textContent()) ?? ""
    // What comes before the address of the server's own package is run as printed by first-command.test.ts.
    const words = shown.trim().split(" ")
    const connect = words.slice(words.indexOf("connect"))
    expect(connect.slice(0, 2)).toEqual(["connect", "claude"])
    await camera.shoot(page, 1.5, "connect")
    const workshopReady = furnishWorkshop()
    await clone.chorus(atDesk, ...connect, "--claude", claude)
    await page.getByText(say("welcome.waitingSession", { name: say("welcome.agentDefault") })).waitFor()
    await camera.shoot(page, 1)
    mark("connected")

    // A project and an idea.
    await button(say("welcome.nextProject")).click()
    await page.getByLabel(say("project.name")).fill("Recipe box")
    await button(say("action.create")).click()
    await page.getByText(say("board.empty")).waitFor()
    script.projectUuid = /projects\/([^/]+)\/board/.exec(page.url())?.[1] ?? ""
    await page.getByRole("link", { name: say("board.emptyAction") }).click()
    await page.getByLabel(say("tasks.title")).fill(IDEA.title)
    await page.getByLabel(say("ideas.content")).fill(IDEA.content)
    await camera.shoot(page, 1.2)
    await button(say("action.create")).click()
    await page.waitForURL(/ideas\/[0-9a-f-]{36}/)
    script.ideaUuid = /ideas\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ""
    const [queue, office, boardTab] = (
      await Promise.all([tab("/"), tab("/office"), tab(`/projects/${script.projectUuid}/board`)])
    ).map(patient) as [Page, Page, Page]
    await queue.getByText(say("needsYou.empty")).waitFor()
    await office.getByText(say("office.empty")).waitFor()

    // A browser draws only the tab in front; to click elsewhere would wait for a slow heartbeat.
    await page.bringToFront()

    // The planner, a real Claude Code session, asks; the person answers on the page.
    await claudeAt(desk, atDesk, PROMPTS.ask)
    mark("the planner asked")
    const welcome = patient(await tab("/welcome"))
    await welcome.getByText(say("welcome.connected", { name: say("welcome.agentDefault") })).waitFor()
    await welcome.close()
    await page.bringToFront()
    await queue.getByText(say("needsYou.kind.elaboration")).waitFor()
    await queue.getByText(IDEA.title).waitFor()
    await page.getByText(QUESTION.options[0]?.label ?? "").click()
    await camera.shoot(page, 1.5, "questions")
    await button(say("ideas.sendAnswers")).click()
    await queue.getByText(say("needsYou.empty")).waitFor()

    // It proposes; the person reads and approves.
    await claudeAt(desk, atDesk, PROMPTS.propose, "--continue")
    mark("the planner proposed")
    await queue.bringToFront()
    await queue.getByText(PROPOSAL.title).first().click()
    await button(say("action.open"), queue).click()
    // The address changes first; the card that was clicked has such a button too.
    await queue.getByRole("heading", { name: PROPOSAL.title, level: 1 }).waitFor()
    await button(say("needsYou.approve"), queue).waitFor()
    await camera.shoot(queue, 2, "proposal")
    await button(say("needsYou.approve"), queue).click()
    await button(say("needsYou.approve"), queue.getByRole("dialog")).click()
    await letStand(queue, say)
    await queue.getByText(say("proposals.status.approved"), { exact: true }).first().waitFor()
    await queue.goto(server.url)
    mark("approved")

    const card = (title: string) => boardTab.locator("[data-card]", { hasText: title })
    const column = (id: string) => boardTab.locator(`[data-column="${id}"] [data-card]`)
    const inColumn = (title: string, id: string) =>
      boardTab.locator(`[data-column="${id}"] [data-card]`, { hasText: title })
    await expect.poll(() => column("open").count(), { timeout: PATIENCE }).toBe(PLAN.length)
    for (const { key, title } of PLAN) script.taskUuids.set(key, (await card(title).getAttribute("data-card")) ?? "")
    await expect.poll(() => card("Tell people about it").textContent()).toContain(say("board.blocked", { count: 2 }))
    await camera.shoot(boardTab, 1.5)

    // Five sub-agents of one lead, and a team of three programs, all at work at once.
    const { keys } = await workshopReady
    const leadEnds = claudeAt(workshop, inWorkshop, PROMPTS.build)
    await startTeam()
    const five = builtBy("sub-agent")
    const atOnce = PLAN.filter(({ after }) => after.length === 0)
    for (const { title } of atOnce) await inColumn(title, "in_progress").waitFor()
    for (const { title } of five)
      await inColumn(title, "in_progress").locator("[data-session]").getByText(title).waitFor()
    for (const { title, builder } of atOnce)
      if (builder !== "sub-agent")
        await inColumn(title, "in_progress").locator("[data-session]").getByText(BADGES[builder]).waitFor()
    await expect.poll(() => boardTab.locator("[data-session]").count(), { timeout: PATIENCE }).toBe(atOnce.length)
    expect(await column("open").count()).toBe(1)
    mark("all at work")
    for (const { title } of five) await office.getByText(title).first().waitFor()
    await office.getByText(`${say("agents.doing.working")} ${atOnce.length}`).waitFor()
    await queue.getByText(say("needsYou.empty")).waitFor()
    const room = patient(await tab("/teams"))
    await room.getByRole("link", { name: /recipes/ }).click()
    const memberRow = (name: string) =>
      room.locator("li", { has: room.getByRole("button", { name: new RegExp(`^${name}\\b`) }) })
    for (const name of ["claude", "codex", "opencode"])
      await memberRow(name).getByText(say("teams.state.working")).waitFor()
    await room.getByText(say("teams.linked", { count: 4 })).waitFor()
    const teamTask = (title: string) =>
      room
        .getByRole("group", { name: say("ideas.tasks"), exact: true })
        .getByRole("group", { name: title, exact: true })
    for (const { title, builder, after } of builtBy("claude", "codex", "opencode"))
      if (after.length === 0) await teamTask(title).getByText(builder).waitFor()
    expect(await teamTask("Tell people about it").textContent()).not.toContain("codex")
    for (const [shot, each] of [
      ["board", boardTab],
      ["office", office],
      ["team", room],
    ] as const)
      await camera.shoot(each, 2.5, shot)

    // They hand in; what they leave waits for the person.
    cast.openGate()
    await leadEnds
    for (const { title } of atOnce) await inColumn(title, "to_verify").waitFor()
    await expect.poll(() => boardTab.locator("[data-session]").count(), { timeout: PATIENCE }).toBe(0)
    await expect
      .poll(() => queue.getByText(say("needsYou.kind.task")).count(), { timeout: PATIENCE })
      .toBe(atOnce.length)
    await expect.poll(() => queue.title(), { timeout: PATIENCE }).toContain(String(atOnce.length))
    for (const title of ["Preview card for chats", "Limit guesses per minute", "Words in two languages"])
      await room.getByText(`"${title}" is handed in.`).waitFor()
    for (const name of ["claude", "codex", "opencode"])
      await memberRow(name).getByText(say("teams.state.idle")).waitFor()
    mark("handed in")
    await camera.shoot(queue, 1.5, "needs-you")

    // Two members go home while their work is looked at: verified one by one. Then the last task is free, and the person asks a member for it in the team's room.
    const twoLeave = Promise.all(
      ["claude", "opencode"].map((name) => clone.chorus(inWorkshop, "team", "shutdown", name)),
    )
    await boardTab.bringToFront()
    for (const { title } of atOnce) await verify(title)
    await twoLeave
    await expect
      .poll(() => card("Tell people about it").textContent(), { timeout: PATIENCE })
      .not.toContain(say("board.blocked", { count: 1 }))
    mark("verified")
    await camera.shoot(boardTab, 1.5)
    await room.bringToFront()
    await memberRow("codex").getByRole("button").first().click()
    await room.getByPlaceholder(say("teams.writePlaceholder")).fill(PROMPTS.last)
    await button(say("teams.send"), room).click()
    await room.getByText(say("teams.delivered")).first().waitFor()
    await inColumn("Tell people about it", "to_verify").waitFor()
    await room.getByText('"Tell people about it" is handed in.').waitFor()
    await camera.shoot(room, 2, "person-writes")
    await boardTab.bringToFront()
    await verify("Tell people about it")
    await expect.poll(() => column("done").count(), { timeout: PATIENCE }).toBe(PLAN.length)
    await queue.getByText(say("needsYou.empty")).waitFor()
    await page.getByText(say("ideas.badge.done")).first().waitFor()
    await camera.shoot(boardTab, 2.5, "done")
    mark("done")

    // The last member is asked to go on the page; then a backup, an empty folder, the same board.
    await room.bringToFront()
    await button(say("teams.askShutdown", { name: "codex" }), room).click()
    await button(say("teams.shutdown"), room.getByRole("dialog")).click()
    for (const name of ["claude", "codex", "opencode"]) await memberRow(name).getByText(say("teams.left")).waitFor()
    // The companion came with the first session, because that was wanted, and goes when nobody is left.
    await expect
      .poll(() => existsSync(join(data.path, "first", "companion", "server.json")), { timeout: PATIENCE })
      .toBe(false)
    mark("the team went home")
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const before = await boardOf()
    const backup = join(data.path, "backup.chorus")
    await clone.chorus(atDesk, "backup", backup)
    await server.stop()
    expect(faults).toEqual([])
    const elsewhere = { ...atDesk, CHORUS_DATA: join(data.path, "second") }
    await clone.chorus(elsewhere, "restore", backup)
    const again = await clone.start(elsewhere, "--port", "0")
    const { url: link } = JSON.parse(await clone.chorus(elsewhere, "signin", "--json")) as { url: string }
    const later = await visit({ url: again.url, browser })
    patient(later.page)
    await later.page.goto(link)
    await later.page.getByRole("navigation").first().waitFor()
    await later.page.goto(`${again.url}/projects/${script.projectUuid}/board`)
    await expect
      .poll(() => later.page.locator('[data-column="done"] [data-card]').count(), { timeout: PATIENCE })
      .toBe(PLAN.length)
    expect(await boardOf(elsewhere)).toEqual(before)
    mark("restored")
    await again.stop()
    report()

    /** Three programs connected, the companion switched on that tells of their teams, and a team for them. */
    async function furnishWorkshop() {
      const connected = async (program: string, ...more: string[]) =>
        JSON.parse(await clone.chorus(inWorkshop, "connect", program, "--json", ...more)) as { key?: string }
      const [, byCodex, byOpencode] = await Promise.all([
        connected("claude", "--claude", claude),
        connected("codex"),
        connected("opencode"),
      ])
      await clone.chorus(inWorkshop, "companion", "enable", "--claude", claude)
      await clone.chorus(inWorkshop, "team", "create", "recipes", "--description", "Three programs, one task list")
      return { keys: { claude: "", codex: byCodex.key ?? "", opencode: byOpencode.key ?? "" } }
    }

    async function claudeAt(
      home: ScratchHome,
      env: Record<string, string>,
      prompt: string,
      ...more: string[]
    ): Promise<void> {
      const { code, stdout, stderr } = await runAgent({
        agent: "claude-code",
        home,
        env,
        args: ["-p", prompt, "--permission-mode", "bypassPermissions", ...more],
        timeout: 300_000,
      })
      if (code !== 0) throw new Error(`claude ended with ${code}: ${stdout}${stderr}`)
    }

    /** The team's tasks are linked to those on the board; its members are real programs in processes of their own. */
    async function startTeam(): Promise<void> {
      const tasks = builtBy("claude", "codex", "opencode")
      for (const { key, title, after } of tasks) {
        const blockers = tasks.flatMap((other, at) => (after.includes(other.key) ? [String(at + 1)] : []))
        await clone.chorus(
          inWorkshop,
          "team",
          "tasks",
          "add",
          title,
          "--link",
          script.taskUuids.get(key) ?? "",
          ...(blockers.length === 0 ? [] : ["--after", ...blockers]),
        )
      }
      const spawn = (name: "claude" | "codex" | "opencode", path: string) =>
        clone.chorus(
          { ...inWorkshop, [`CHORUS_${name.toUpperCase()}_KEY`]: keys[name] },
          "team",
          "spawn",
          name,
          path,
          "--program",
          name,
          "--mode",
          "bypassPermissions",
          "--cwd",
          workshop.project,
          "--prompt",
          "Please take your task and say when it is handed in.",
        )
      await Promise.all([spawn("claude", claude), spawn("codex", codex), spawn("opencode", opencode)])
    }

    /** On the task's own sheet over the board: every criterion passes. */
    async function verify(title: string): Promise<void> {
      await card(title).click()
      await button(say("needsYou.verify"), boardTab).click()
      await button(say("tasks.passAndVerify"), boardTab).click()
      await inColumn(title, "done").waitFor()
      await letStand(boardTab, say)
      // While the question is on its way out, Escape would only close that.
      await boardTab.getByRole("dialog", { name: say("decide.verify") }).waitFor({ state: "detached" })
      await boardTab.keyboard.press("Escape")
      await boardTab.getByRole("dialog").waitFor({ state: "detached" })
    }

    async function boardOf(env = atDesk): Promise<unknown> {
      const { tasks, checkins } = JSON.parse(
        await clone.chorus(
          env,
          "call",
          "chorus_get_board",
          "--json",
          JSON.stringify({ projectUuid: script.projectUuid }),
        ),
      ) as { tasks: unknown[]; checkins: unknown[] }
      return { tasks, checkins }
    }

    function report(): void {
      const { calls, tokens, serverSeconds } = tally(model.requests, metrics)
      const seconds = (performance.now() - began) / 1000
      const film = camera.develop()
      const lines = [
        `whole journey: ${seconds.toFixed(1)} s, ${model.requests.length} model requests, ${calls.all} tool calls, ${tokens.all} tokens`,
        `tracking: ${(serverSeconds.hooks + serverSeconds.calls).toFixed(2)} s of the server (hooks ${serverSeconds.hooks.toFixed(2)} s), ${tokens.injected} tokens in ${tokens.texts} injected texts`,
        `the skill and one reference of it: ${tokens.skill} and ${tokens.reference} tokens, read by one planner`,
        `calls to the board: ${calls.planning} for planning, ${calls.subagents} by ${five.length} sub-agents, ${calls.members} by the team for ${PLAN.length - five.length} tasks`,
        ...(film === undefined ? [] : [`film: ${film.seconds} s, ${film.bytes} bytes`]),
      ]
      lines.forEach(figure)
      expect(calls.subagents).toBe(0)
      // Three introductions at least, and five briefs; otherwise the count above looked for the wrong words.
      expect(tokens.texts).toBeGreaterThanOrEqual(8)
      for (const read of [tokens.skill, tokens.reference]) expect(read).toBeGreaterThan(100)
      expect(tokens.skill + tokens.reference).toBeLessThanOrEqual(SKILL_BUDGET)
    }
  },
)

/** Ends every process that a note in one of these folders names. */
async function endProcesses(...folders: readonly string[]): Promise<void> {
  const notes = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => join(folder, name)),
    )
  const pids = notes.map((note) => (JSON.parse(readFileSync(note, "utf8")) as { pid: number }).pid)
  await Promise.all(pids.filter(isRunning).map((pid) => killTree(pid)))
}
