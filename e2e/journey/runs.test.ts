/** @module-tag stress */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient } from "@chorus/client"
import { markedProcesses, RUN_MARK } from "@chorus/runs"
import { runningServer } from "@chorus/server"
import {
  acpAdapter,
  agentProgram,
  cacheDirectory,
  launchBrowser,
  scratchHome,
  startModel,
  temporaryDirectory,
  waitFor,
} from "@chorus/testing"
import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { letStand, signIn, visit } from "../web/visitor.ts"
import { RENEW } from "../pictures.ts"
import { openCamera } from "./camera.ts"
import { cloneRepository } from "./clone.ts"
import { ALL, BELL, COMMENT, DOOR, IDEA, OPENING, PATH, QUESTION, REJECTED, Shop, STEERED, SUGGESTION } from "./shop.ts"

/** Facts are waited for; a loaded machine may take its time. */
const PATIENCE = 120_000
/** Claim, ask; propose; read why it was rejected, propose again; answer the comment. Building takes none. */
const BOARD_CALLS = 6

it(
  "leads a newcomer from a clone to landed work, by agents that Chorus starts, and everything is done on the page",
  { timeout: 1_200_000 },
  async () => {
    const began = performance.now()
    const figure = (text: string) => process.stdout.write(`  figure: ${text}\n`)
    const mark = (what: string) => figure(`${((performance.now() - began) / 1000).toFixed(1)} s ${what}`)
    const shop = new Shop()
    await using model = await startModel(shop.play, { title: "The garden" })
    await using home = scratchHome({ model })
    await using data = temporaryDirectory("data-")
    await using clone = await cloneRepository()
    const repository = home.addProject("garden")
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: repository, env: home.environment, encoding: "utf8" }).trim()
    writeFileSync(join(repository, "README.md"), "# Garden\n")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    const places = await Promise.all([
      ...(["claude-code", "codex", "opencode"] as const).map((name) => agentProgram(name).then(dirname)),
      ...(["claude", "codex"] as const).map((name) => acpAdapter(name)),
    ])
    const env = {
      ...home.environment,
      PATH: [...places, home.environment["PATH"]].join(":"),
      CHORUS_CACHE: cacheDirectory(),
      CHORUS_DATA: data.path,
      CHORUS_SOCK: join(home.path, "status.sock"),
    }
    mark("cloned")

    const browserComes = launchBrowser()
    const server = await clone.start(env, "--port", "0")
    mark("started")
    await using browser = await browserComes
    const camera = openCamera("runs")
    const { page, say, tab, faults } = await visit(
      { url: server.url, browser },
      { motion: RENEW ? "no-preference" : "reduce" },
    )
    const owner = createClient({ url: server.url, key: runningServer(data.path)?.token ?? "" })
    const button = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true })
    const patient = (each: Page) => (each.setDefaultTimeout(PATIENCE), each)
    patient(page)
    await signIn(page, server.signIn ?? "")

    // The welcome page leads to the folder that this machine may let agents work in.
    await button(say("welcome.runs")).click()
    await page.getByLabel(say("runs.folder"), { exact: true }).fill(repository)
    await page.getByLabel(say("runs.allow.checks")).check()
    await page.getByLabel(say("runs.allow.land")).check()
    await page.getByText(say("runs.furtherNone")).waitFor({ state: "detached" })
    await camera.shoot(page, 2, "allow")
    await button(say("runs.allowCommand")).click()
    await page.getByText(say("runs.allowed", { path: repository })).waitFor()
    // The models' key is a variable of this machine, which no page hands out.
    await clone.chorus(env, "runner", "allow", repository, "--env", "SCRIPTED_API_KEY", "--slots", "4")
    mark("allowed")

    // A project, an idea, and an agent that plans it.
    await page.goto(`${server.url}/projects`)
    await button(say("nav.newProject")).first().click()
    await page.getByLabel(say("project.name")).fill("Garden")
    await button(say("action.create")).click()
    await page.getByText(say("board.empty")).waitFor()
    const projectUuid = /projects\/([^/]+)\/board/.exec(page.url())?.[1] ?? ""
    await page.getByRole("link", { name: say("board.emptyAction") }).click()
    await page.getByLabel(say("tasks.title")).fill(IDEA.title)
    await page.getByLabel(say("ideas.content")).fill(IDEA.content)
    await camera.shoot(page, 1.5)
    await button(say("action.create")).click()
    await page.waitForURL(/ideas\/[0-9a-f-]{36}/)
    const idea = page.url()
    await button(say("runs.planThis")).click()
    await button(say("runs.planThis"), page.getByRole("dialog")).click()
    await page.waitForURL(/\/runs\//)
    const queue = patient(await tab("/"))
    await queue.getByText(say("needsYou.kind.elaboration")).waitFor()
    mark("the planner asked")

    // It asks, is answered, proposes, is sent back with the reason, and proposes again: all of it by itself.
    await page.bringToFront()
    await page.goto(idea)
    await page.getByText(QUESTION.options[0]?.label ?? "").click()
    await camera.shoot(page, 1.5, "question")
    await button(say("ideas.sendAnswers")).click()
    await queue.bringToFront()
    await queue.getByText(say("needsYou.kind.proposal")).waitFor()
    mark("the planner proposed")
    await button(say("needsYou.reject"), queue).first().click()
    await queue.getByRole("dialog").getByLabel(say("needsYou.note")).fill(REJECTED)
    await button(say("needsYou.reject"), queue.getByRole("dialog")).click()
    await letStand(queue, say)
    const proposal = await waitFor(
      async () => {
        const { proposals } = await owner.call("chorus_get_proposals", { projectUuid })
        return proposals.find(({ status, revision }) => status === "pending" && revision === 2)
      },
      PATIENCE,
      "the second revision",
      200,
    )
    mark("the planner mended its plan")
    await queue.goto(`${server.url}/projects/${projectUuid}/proposals/${proposal.uuid}`)
    await queue.getByText(BELL.title).first().waitFor()
    await camera.shoot(queue, 2.5, "plan")
    await button(say("needsYou.approve"), queue).click()
    await button(say("needsYou.approve"), queue.getByRole("dialog")).click()
    await letStand(queue, say)
    await button(say("runs.buildAll"), queue).waitFor()
    const { tasks } = await owner.call("chorus_list_tasks", { projectUuid })
    const taskOf = (title: string) => tasks.find((task) => task.title === title)?.uuid ?? ""
    expect(tasks.map(({ title }) => title).toSorted()).toEqual(ALL.map(({ title }) => title).toSorted())

    // Two are given to other programs by hand; the rest is built at one press, in the order of the graph.
    for (const { title, program } of [PATH, BELL]) {
      await page.goto(`${server.url}/projects/${projectUuid}/tasks/${taskOf(title)}`)
      await button(say("runs.start")).click()
      await page.getByRole("dialog").getByLabel(say("runs.program")).selectOption(program)
      await button(say("runs.start"), page.getByRole("dialog")).click()
      await page.waitForURL(/\/runs\//)
    }
    await queue.bringToFront()
    await button(say("runs.buildAll"), queue).click()
    await queue.getByRole("dialog").getByText(OPENING.title).waitFor()
    await camera.shoot(queue, 2.5, "build-all")
    await button(say("runs.buildAll"), queue.getByRole("dialog")).click()
    await queue.waitForURL(/\/runs$/)
    const runOf = async (title: string) => {
      const { runs } = await owner.call("chorus_list_runs", { taskUuid: taskOf(title) as never })
      return runs[0]
    }
    const until = (title: string, ...states: string[]) =>
      waitFor(
        async () => {
          const run = await runOf(title)
          return run !== undefined && states.includes(run.state) ? run : undefined
        },
        PATIENCE,
        `"${title}" to be ${states.join(" or ")}`,
        200,
      )
    const asking = await until(DOOR.title, "waiting")
    const steered = await until(PATH.title, "running")
    mark("all at work")
    await camera.shoot(queue, 2.5, "all-at-work")

    // One asks, and is answered where its transcript stands.
    await page.goto(`${server.url}/runs/${asking.uuid}`)
    const ask = button(say("needsYou.allow")).first()
    await ask.waitFor()
    await camera.shoot(page, 2.5, "asks")
    await ask.click()
    await ask.waitFor({ state: "detached" })

    // One is steered while it is at work.
    await page.goto(`${server.url}/runs/${steered.uuid}`)
    await page.getByPlaceholder(say("runs.sayPlaceholder")).fill(STEERED)
    await button(say("runs.say")).click()
    shop.openGate()
    await until(PATH.title, "finished")
    await page.getByText(STEERED).first().waitFor()
    await camera.shoot(page, 2.5, "steered")
    mark("asked and steered")

    // One is sent back with a word at a line, and mends it.
    const waits = async (title: string) =>
      (await owner.call("chorus_needs_you", {})).items.some(
        ({ kind, uuid }) => kind === "task" && uuid === taskOf(title),
      )
    const openInQueue = async (title: string) => {
      await waitFor(() => waits(title), PATIENCE, `"${title}" to wait for a person`, 200)
      await page.goto(server.url)
      await page.getByRole("button", { name: title }).click()
      return page.getByRole("region", { name: say("needsYou.preview") })
    }
    const preview = await openInQueue(BELL.title)
    const lines = preview.getByRole("region", { name: BELL.file })
    await lines.scrollIntoViewIfNeeded()
    const drawn = lines.getByText("iron", { exact: true })
    await drawn.click()
    await drawn.click()
    const form = lines.getByRole("form", { name: say("changes.commentOn", { file: BELL.file, line: 1 }) })
    await form.getByLabel(say("changes.comment"), { exact: true }).fill(COMMENT)
    await form.getByLabel(say("changes.suggest")).check()
    await form.getByLabel(say("changes.suggestion")).fill(SUGGESTION)
    await form.getByRole("button", { name: say("changes.send") }).click()
    await lines.getByRole("article", { name: say("changes.thread", { file: BELL.file, line: 1 }) }).waitFor()
    await camera.shoot(page, 3, "line-comment")
    await preview.getByRole("button", { name: say("needsYou.sendBack") }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: say("needsYou.sendBack") }).click()
    await letStand(page, say)
    const mended = async () =>
      (await owner.call("chorus_get_task", { taskUuid: taskOf(BELL.title) })).handIns.length === 2
    await waitFor(mended, PATIENCE, "the bell to be handed in again", 200)
    mark("sent back and mended")

    // What Chorus checked is verified and merged; what waited for it begins from there.
    for (const { title } of [DOOR, PATH, BELL]) await verify(title)
    mark("three have landed")
    const last = await until(OPENING.title, "waiting")
    await page.goto(`${server.url}/runs/${last.uuid}`)
    await button(say("needsYou.allow")).first().click()
    await verify(OPENING.title)
    for (const { file, holds } of ALL) expect(readFileSync(join(repository, file), "utf8")).toBe(holds)
    expect(git("status", "--porcelain")).toBe("")
    expect(git("log", "--format=%s").split("\n").toReversed()).toEqual([
      "Begin",
      ...[DOOR, PATH, BELL, OPENING].map(
        ({ title }) => expect.stringMatching(new RegExp(`^GARD\\w*-\\d+: ${title}$`)) as string,
      ),
    ])
    await page.goto(idea)
    await page.getByRole("heading", { name: say("ideas.closing") }).waitFor()
    await camera.shoot(page, 3, "closing")
    mark("done")

    const { runs } = await owner.call("chorus_list_runs", { pageSize: 100 })
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "finished"))
    for (const { uuid } of runs)
      await waitFor(() => markedProcesses(RUN_MARK, uuid).length === 0, PATIENCE, "its processes to end")
    const calls = (await Promise.all(runs.map(({ uuid }) => callsOf(uuid)))).flat()
    const toBoard = calls.filter((title) => /chorus_[a-z_]+$/.test(title))
    expect(toBoard.length, toBoard.join()).toBe(BOARD_CALLS)
    expect(faults).toEqual([])
    await server.stop()
    const used = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
    figure(`${runs.length} runs, ${model.requests.length} model requests, ${used} tokens as the programs count them`)
    figure(`${calls.length} tool calls, ${toBoard.length} of them to Chorus, all for the plan and a comment at a line`)
    const film = camera.develop()
    if (film !== undefined) figure(`film: ${film.seconds} s, ${film.bytes} bytes`)

    /** What its agent called, as the transcript tells it. */
    async function callsOf(runUuid: string): Promise<string[]> {
      const { entries } = await owner.call("chorus_get_transcript", { runUuid })
      return entries.flatMap(({ kind, title }) => (kind === "tool" && title !== null ? [title] : []))
    }

    async function verify(title: string): Promise<void> {
      const shown = await openInQueue(title)
      await shown.getByText(say("checks.by.chorus")).first().waitFor()
      await camera.shoot(page, 2, title === DOOR.title ? "verify" : undefined)
      await shown.getByRole("button", { name: say("landings.verifyAndMerge") }).click()
      const landed = async () => git("log", "--format=%s").includes(title)
      await waitFor(landed, PATIENCE, `"${title}" to land`, 200)
    }
  },
)
