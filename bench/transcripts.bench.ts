import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { AgentId, runs } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import { launchBrowser, script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import type { Browser, Page } from "playwright-core"
import { openStage, type Stage, startRunnerProcess } from "../packages/cli/test/run-stage.ts"
import { type Bench, percentile } from "./figure.ts"
import { scrollFrames } from "./scrolling.ts"
import { cpuMs } from "./served.ts"

const RUNS = 20
const FRAMES = 40
const FRAME_MS = 250
const ENTRIES = 100_000
const AT_ONCE = 500
const LOOKS = 7
const PATIENCE = 240_000

/** How soon the page has what an agent said while many are at work, what that costs, and how a long transcript is read. */
export const bench: Bench = async () => {
  await using place = temporaryDirectory("transcripts-bench-")
  const agent = scriptedAgent("--state", place.path)
  const allow = ["--command", agent, "--slots", String(RUNS)]
  await using stage = await openStage({ allow, start: ["--no-runner"] })
  const runner = startRunnerProcess(stage.data)
  try {
    const { delays, cores } = await frameToPage(stage, agent)
    const { opened, frames } = await readLong(stage)
    return [
      { name: `frame → page, ${RUNS} runs at work, p50`, value: percentile(delays, 0.5), unit: "ms" },
      {
        name: `frame → page, ${RUNS} runs at work, p95`,
        value: percentile(delays, 0.95),
        unit: "ms",
        budget: { atMost: 150 },
      },
      {
        name: `the server with ${RUNS} runs at work, of one core`,
        value: cores * 100,
        unit: "%",
        budget: { atMost: 20 },
      },
      {
        name: `transcript of ${ENTRIES.toLocaleString("en")} entries, opened, median`,
        value: percentile(opened, 0.5),
        unit: "ms",
        budget: { atMost: 300 },
      },
      { name: "scrolling through it, 95th frame", value: percentile(frames, 0.95), unit: "ms", budget: { atMost: 20 } },
    ]
  } finally {
    await runner.end()
  }
}

/** From what an agent said, as its runner hears it, until a browser that has the run open shows it. */
async function frameToPage(stage: Stage, command: string): Promise<{ delays: number[]; cores: number }> {
  const word = (at: number) => `frame-${at};`
  // None begins to speak before all of them are there.
  const gate = { ask: { title: "Begin?" } }
  const frames = Array.from({ length: FRAMES }, (_, at) => [{ say: word(at) }, { sleep: FRAME_MS }]).flat()
  const uuids: string[] = []
  for (let at = 0; at < RUNS; at++) {
    const taskUuid = await stage.task(script({ ...gate, yes: frames }))
    const { uuid } = await stage.call<runs.RunRow>("chorus_start_run", { taskUuid, program: "command", command })
    uuids.push(uuid)
  }
  const asked = async () =>
    (await stage.call<{ attentions: { uuid: string }[] }>("chorus_list_attentions", { pageSize: 100 })).attentions
  const questions = await waitFor(async () => {
    const open = await asked()
    return open.length === RUNS ? open : undefined
  }, PATIENCE)
  const [watched = ""] = uuids
  const browser = await launchBrowser()
  const page = await signedIn(browser, stage)
  await page.goto(`${serverOf(stage).url}/runs/${watched}`)
  await page.getByText("Begin?").first().waitFor()
  // Whenever the screen is drawn, the page itself notes which words stand there.
  const reading = page.evaluate(
    async ({ words, patience }) => {
      const seen: number[] = []
      const end = Date.now() + patience
      while (seen.length < words.length && Date.now() < end) {
        await new Promise((frame) => requestAnimationFrame(() => frame(undefined)))
        const text = document.body.textContent
        while (seen.length < words.length && text.includes(words[seen.length] ?? "")) seen.push(Date.now())
      }
      return seen
    },
    { words: Array.from({ length: FRAMES }, (_, at) => word(at)), patience: PATIENCE },
  )
  await Promise.all(
    questions.map(({ uuid: attentionUuid }) =>
      stage.call("chorus_answer_attention", { attentionUuid, answer: { decision: "approve" } }),
    ),
  )
  const { pid } = serverOf(stage)
  const [since, spent] = [performance.now(), cpuMs(pid)]
  const seen = await reading
  const cores = (cpuMs(pid) - spent) / (performance.now() - since)
  await browser.close()
  const lines = readFileSync(join(stage.data, "runner", "runs", watched, "frames.jsonl"), "utf8")
    .trim()
    .split("\n")
  const heard = lines.map((line) => JSON.parse(line) as { at: number; in?: string })
  await stage.call("chorus_stop_runs", {})
  const delays = Array.from({ length: FRAMES }, (_, at) => {
    const frame = heard.find((one) => one.in?.includes("agent_message_chunk") === true && one.in.includes(word(at)))
    return (seen[at] ?? Number.NaN) - (frame?.at ?? Number.NaN)
  })
  return { delays, cores }
}

/** Opens it from the list of runs in a browser, as a person does, and goes up from its end. */
async function readLong(stage: Stage): Promise<{ opened: number[]; frames: number[] }> {
  const presets = ["developer"] as const
  const owner = clientOf(stage)
  const { uuid: agentUuid } = await owner.call("chorus_create_agent", { name: "Talker", presets: [...presets] })
  const { key } = await owner.call("chorus_create_key", { agentUuid: agentUuid as AgentId, name: "bench" })
  const { call } = clientOf(stage, key)
  const machine = "talker"
  const taskUuid = await stage.task("Talk.")
  const { uuid: runUuid } = await stage.call<runs.RunRow>("chorus_start_run", { taskUuid, program: "codex", machine })
  const programs = [{ program: "codex" as const, version: "1", missing: null }]
  const { run } = await call("chorus_lease_run", { machine, programs, folders: ["/talk"], slots: 1, busy: 0 })
  const held = { runUuid, lease: run?.lease ?? "", state: "running" as const }
  for (let from = 0; from < ENTRIES; from += AT_ONCE) {
    const entries = Array.from({ length: AT_ONCE }, (_, at) => entryAt(from + at))
    await call("chorus_report_run", { ...held, entries })
  }
  const browser = await launchBrowser()
  try {
    const page = await signedIn(browser, stage)
    const opened: number[] = []
    for (let at = 0; at < LOOKS; at++) opened.push(await open(page, `${serverOf(stage).url}/runs`, runUuid))
    return { opened, frames: await scrollFrames(page, -120) }
  } finally {
    await browser.close()
  }
}

async function signedIn(browser: Browser, stage: Stage): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  const owner = clientOf(stage)
  const { uuid: userUuid } = await owner.call("chorus_whoami", {})
  const { signInPath } = await owner.call("chorus_create_sign_in_link", { userUuid })
  await page.goto(`${serverOf(stage).url}${signInPath}`)
  await page.getByRole("navigation").first().waitFor()
  return page
}

/** From the click on the run until its last line stands there. */
async function open(page: Page, list: string, runUuid: string): Promise<number> {
  await page.goto(list)
  await page.locator(`a[href$="${runUuid}"]`).first().waitFor()
  return page.evaluate(
    async ({ to, last }) => {
      const start = performance.now()
      document.querySelector<HTMLElement>(`a[href$="${to}"]`)?.click()
      while (!document.body.textContent.includes(last))
        await new Promise((frame) => requestAnimationFrame(() => frame(undefined)))
      return performance.now() - start
    },
    { to: runUuid, last: `Line ${ENTRIES - 1} of` },
  )
}

function entryAt(place: number): runs.RunEntry {
  const text = `Line ${place} of what the agent said, about as long as a line is.`
  const blank = { child: null, title: null, status: null, data: {} }
  return { ...blank, id: `e${place}`, place, turn: 1, kind: "message", text, at: new Date().toISOString() }
}

function clientOf(stage: Stage, key?: string) {
  const { url, token } = serverOf(stage)
  return createClient({ url, key: key ?? token })
}

function serverOf({ data }: Stage) {
  const server = runningServer(data)
  if (server === undefined) throw new Error("no server runs")
  return server
}
