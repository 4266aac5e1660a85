/** @module-tag stress */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient } from "@chorus/client"
import {
  acpAdapter,
  agentProgram,
  CHORUS_MAIN,
  drive,
  type ModelRequest,
  scratchHome,
  startModel,
  type Turn,
  waitFor,
} from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Stage } from "./stage.ts"
import { letStand, PATIENCE, signIn, visit, type Visit } from "./visitor.ts"

/** Each program with the calls by which its model runs a command and answers a thread. */
const PROGRAMS = [
  {
    program: "claude",
    agent: "claude-code",
    shell: (command: string) => ({ name: "Bash", input: { command, description: "paint" } }),
    chorus: (tool: string) => ({ name: `mcp__chorus__${tool}` }),
  },
  {
    program: "codex",
    agent: "codex",
    shell: (cmd: string) => ({ name: "exec_command", input: { cmd } }),
    chorus: (name: string) => ({ name, namespace: "mcp__chorus" }),
  },
] as const
const THREAD = /^- (\S+):(\d+) \([^)]*\): (.*)(?:\n {2}Suggested instead:\n {4}(.*))?\n {2}Thread (\S+)$/gm

const furniture = new AsyncDisposableStack()
let stage: Stage
let visitor: Visit
let repository = ""

beforeAll(async () => {
  const model = furniture.use(await startModel(mend))
  const home = furniture.use(scratchHome({ model }))
  repository = home.addProject("shop")
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, env: home.environment })
  writeFileSync(join(repository, "README.md"), "# Shop\n")
  git("add", "-A")
  git("commit", "-q", "-m", "Begin")
  const places = await Promise.all(
    PROGRAMS.flatMap(({ program, agent }) => [agentProgram(agent).then(dirname), acpAdapter(program)]),
  )
  const env = { ...home.environment, PATH: [...places, home.environment["PATH"]].join(":") }
  stage = await openStage({ env })
  furniture.defer(() => stage.close())
  const allow = ["--mode", "all", "--land", "--env", "SCRIPTED_API_KEY", "npm_config_registry", "--data", stage.data]
  execFileSync(process.execPath, [CHORUS_MAIN, "runner", "allow", repository, ...allow], { env })
  visitor = await visit(stage)
  await signIn(visitor.page, stage.signIn)
})
afterAll(() => furniture.disposeAsync())

it.for(PROGRAMS)(
  "$program mends what a person said about its lines, answers each thread, and what it mended lands, on a phone too",
  async ({ program, shell }) => {
    const owner = createClient({ url: stage.url, key: stage.ownerKey() })
    const { uuid: projectUuid } = await owner.call("chorus_admin_create_project", { name: `Shop of ${program}` })
    const file = `${program}.txt`
    const title = `Paint the door of ${program}`
    const description = `DO: ${JSON.stringify([[shell(`printf 'door\\ngreen\\nbrass\\n' > ${file}`)], { text: "DONE painted." }])}`
    const { tasks } = await owner.call("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title, description, acceptanceCriteriaItems: [{ description: "It is painted" }] }],
    })
    const taskUuid = tasks[0]?.uuid ?? ""
    await owner.call("chorus_start_run", { taskUuid, program, mode: "all" })
    const waits = async () => (await owner.call("chorus_needs_you", {})).items.some(({ uuid }) => uuid === taskUuid)
    await waitFor(waits, PATIENCE * 2, "the first hand-in", 200)

    const { page, say, faults } = visitor
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(stage.url)
    await page.getByRole("button", { name: title }).click()
    const preview = page.getByRole("region", { name: say("needsYou.preview") })
    const lines = preview.getByRole("region", { name: file })
    await lines.scrollIntoViewIfNeeded()
    const comment = async (line: number, words: string, suggestion?: string) => {
      const drawn = lines.getByText(["door", "green", "brass"][line - 1] ?? "", { exact: true })
      await drawn.click()
      await drawn.click()
      const form = lines.getByRole("form", { name: say("changes.commentOn", { file, line }) })
      await form.getByLabel(say("changes.comment"), { exact: true }).fill(words)
      if (suggestion !== undefined) {
        await form.getByLabel(say("changes.blocker")).check()
        await form.getByLabel(say("changes.suggest")).check()
        await form.getByLabel(say("changes.suggestion")).fill(suggestion)
      }
      await form.getByRole("button", { name: say("changes.send") }).click()
      await lines.getByRole("article", { name: say("changes.thread", { file, line }) }).waitFor()
    }
    await comment(2, "Not green.", "red")
    await comment(3, "Why brass?")
    await preview.getByRole("button", { name: say("needsYou.sendBack") }).click()
    const dialog = page.getByRole("dialog")
    // What stands at the lines is reason enough.
    await dialog.getByText(say("sendBack.threads", { count: 2 })).waitFor()
    await dialog.getByRole("button", { name: say("needsYou.sendBack") }).click()
    await letStand(page, say)
    const handIns = async () => (await owner.call("chorus_get_task", { taskUuid })).handIns.length
    await waitFor(async () => (await handIns()) === 2 && (await waits()), PATIENCE * 2, "the second hand-in", 200)

    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(stage.url)
    await page.getByRole("button", { name: title }).click()
    const sheet = page.getByRole("dialog", { name: say("needsYou.preview") })
    const mended = sheet.getByRole("region", { name: file })
    await mended.scrollIntoViewIfNeeded()
    // The line itself; what was suggested there says the same.
    await mended.locator("span").getByText("red", { exact: true }).first().waitFor()
    const gone = mended.getByRole("article", { name: say("changes.thread", { file, line: 2 }) })
    await gone.getByText(say("changes.outdated", { version: 1 })).waitFor()
    await gone.getByText("It is red now.").waitFor()
    await gone.getByText(say("changes.atVersion", { version: 2 })).waitFor()
    const stays = mended.getByRole("article", { name: say("changes.thread", { file, line: 3 }) })
    await stays.getByText("It does not rust.").waitFor()
    expect(await stays.getByText(say("changes.outdated", { version: 1 })).count()).toBe(0)
    await gone.getByRole("button", { name: say("changes.resolve") }).click()
    await gone.getByText(say("changes.resolved")).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await sheet.getByRole("button", { name: say("landings.verifyAndMerge") }).click()
    const landed = join(repository, file)
    await waitFor(() => existsSync(landed), PATIENCE, "the work to land", 200)
    expect(readFileSync(landed, "utf8")).toBe("door\nred\nbrass\n")
    expect(await owner.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "done" })
    expect(faults).toEqual([])
  },
)

/** Told of threads, the model puts what each suggests at its line and answers it there; else it does as it is told. */
function mend(request: ModelRequest): Turn {
  const threads = [...request.prompt.matchAll(THREAD)]
  if (threads.length === 0) return drive(request)
  const calls = PROGRAMS.find(({ program }) => request.prompt.includes(`${program}.txt`))
  const [, taskUuid] = /Task ([\w-]{36})/.exec(request.all) ?? []
  if (calls === undefined || taskUuid === undefined) return { text: "UNFINISHED I do not know which task this is." }
  const better = threads.flatMap(([, file, line, , instead]) =>
    instead === undefined ? [] : [`sed -i '${line}s/.*/${instead}/' ${file}`],
  )
  const comments = threads.map(([, , , , instead, threadUuid]) => ({
    threadUuid,
    text: instead === undefined ? "It does not rust." : `It is ${instead} now.`,
  }))
  const turns: Turn[] = [
    { tools: [calls.shell(better.join(" && "))] },
    { tools: [{ ...calls.chorus("chorus_comment_on_change"), input: { taskUuid, comments } }] },
  ]
  return turns[request.sincePrompt] ?? { text: "DONE mended." }
}
