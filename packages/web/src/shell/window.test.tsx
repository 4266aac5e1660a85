import type { TaskId } from "@chorus/contracts"
import { createRouter } from "@tanstack/react-router"
import { afterAll, beforeAll, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { factsOf, openMachine } from "../../test/machine-room.ts"
import { ask, makeIdea, PROSE, question, submitPlan } from "../../test/planning.ts"
import { clearStage, openPage, owner, show } from "../../test/stage.tsx"
import { handIn, hire, makeTasks } from "../../test/workplace.ts"
import { SignInPage } from "../sign-in/SignInPage.tsx"
import { routerOptions } from "./router.tsx"
import { Unreachable } from "./Unreachable.tsx"

/** Low enough that every page has more than fits. */
const PHONE = [390, 420] as const
const WINDOWS = [PHONE, [1024, 420], [1920, 420]] as const
const SECTIONS = ["profile", "notifications", "sign-ins", "agents", "members", "webhooks", "undelivered", "workspace"]

/** How the buttons are called that make or decide something. */
const BEGINS =
  /^(new|connect|create|add|edit|delete|approve|reject|verify|pass|allow|deny|send|answer|assign|claim|start|give|split|merge|close idea|comment)\b/i

/** One word that no line can hold. */
const LONG = "Unbroken".repeat(16)

let places: string[]

beforeAll(async () => {
  const { projectUuid, proposalUuid, ideaUuid, planner } = await submitPlan({
    title: LONG,
    description: LONG,
    documents: [{ type: "prd", title: LONG, content: `# ${LONG}\n\n${PROSE.repeat(2)}` }],
  })
  await owner.call("chorus_edit_idea", { ideaUuid, title: LONG, content: LONG })
  const [taskUuid = ""] = await makeTasks(
    projectUuid,
    ...Array.from({ length: 12 }, (_, at) => ({ title: `Lay${LONG.slice(0, 80)}${at}` })),
  )
  await handIn(planner, taskUuid)
  await ask(planner, await makeIdea(projectUuid), question("cost", "What may it cost?"))
  const { uuid: me } = await owner.call("chorus_whoami", {})
  const { client } = planner
  for (let at = 0; at < 12; at++) {
    await client.call("chorus_create_attention", { title: `May${LONG}${at}`, kind: "permission", projectUuid })
    await client.call("chorus_add_comment", {
      targetType: "idea",
      targetUuid: ideaUuid,
      content: `@[The owner](user:${me}) look`,
    })
  }
  const { uuid: documentUuid } = await owner.call("chorus_pm_create_document", {
    projectUuid,
    type: "prd",
    title: LONG,
    content: "# Light\n\nSo be it.\n\n".repeat(30),
  })
  const teamUuid = await openTeam()
  const runUuid = await openRun(projectUuid)
  const { shortId } = await owner.call("chorus_get_task", { taskUuid })
  const known: Record<string, string> = {
    projectUuid,
    proposalUuid,
    ideaUuid,
    taskUuid,
    documentUuid,
    teamUuid,
    runUuid,
    shortId,
  }
  places = Object.keys(createRouter(routerOptions).routesByPath)
    .flatMap((path) => (path.includes("$section") ? SECTIONS.map((each) => path.replace("$section", each)) : [path]))
    .map((path) => path.replaceAll(/\$(\w+)/g, (_, name: string) => known[name] ?? missing(name)))
})

/** A team with more said and done than a window holds. */
async function openTeam(): Promise<string> {
  const name = `room-${crypto.randomUUID().slice(0, 8)}`
  const facts = factsOf(name)
  const { tell } = await openMachine()
  await tell({
    teamFacts: [
      facts.begun({ description: LONG }),
      facts.member("lead", { lead: true, state: "unknown" }),
      facts.member("ada", { state: "working" }),
      ...Array.from({ length: 12 }, (_, at) => facts.said(`m${at}`, "lead", "ada", `${LONG} ${at}`)),
      ...Array.from({ length: 12 }, (_, at) => facts.task(String(at), `${LONG} ${at}`)),
    ],
  })
  const { teams } = await owner.call("chorus_list_teams", {})
  return teams.find((each) => each.name === name)?.uuid ?? missing("the team")
}

/** A run with a long transcript, that asks. */
async function openRun(projectUuid: string): Promise<string> {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const programs = [{ program: "codex" as const, version: "0.166.0", missing: null, mode: "edit" as const }]
  const room = { memory: 16_384, freeMemory: 6144, worktrees: 512 }
  const free = { machine, programs, folders: ["/shop"], slots: 2, busy: 0, room }
  await client.call("chorus_lease_run", free)
  const [taskUuid = ""] = await makeTasks(projectUuid, { title: `Run${LONG.slice(0, 80)}` })
  await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
  const { run } = await client.call("chorus_lease_run", free)
  if (run === null) return missing("the run")
  const entry = { kind: "message" as const, turn: 1, child: null, title: null, status: null, data: {} }
  await client.call("chorus_report_run", {
    runUuid: run.uuid,
    lease: run.lease,
    state: "waiting",
    entries: Array.from({ length: 20 }, (_, at) => ({
      ...entry,
      id: `e${at}`,
      place: at + 1,
      text: `${LONG} ${at}`,
      at: "2026-01-01T09:00:00.000Z",
    })),
    asks: [{ requestId: "r1", kind: "permission", title: LONG, detail: { kind: "execute", input: { command: LONG } } }],
  })
  return run.uuid
}

function missing(what: string): never {
  throw new Error(`${what} is missing`)
}

afterAll(() => page.viewport(1280, 800))

it("never scrolls away from under the frame, on any page of a phone", { timeout: 240_000 }, () => scrollIn([PHONE]))

it("nor in any other window", { timeout: 240_000, tags: ["stress"] }, () => scrollIn(WINDOWS))

it("offers who may only look nothing that begins or decides something", async () => {
  const seen =
    /^\/$|^\/(projects|agents|office)$|\/(board|list|graph|ideas|documents|proposals)$|\/(ideas|tasks|proposals)\/[^/]+$/
  const offered: string[] = []
  for (const place of places.filter((each) => seen.test(each))) {
    const { screen } = await openPage(place, { role: "viewer" })
    await expect.element(screen.getByRole("main")).toBeVisible()
    await expect.poll(() => document.querySelector("main .animate-pulse"), { message: place }).toBeNull()
    for (const each of screen.getByRole("button").or(screen.getByRole("link")).elements()) {
      const words = each.ariaLabel ?? each.textContent
      if (BEGINS.test(words)) offered.push(`${place}: ${words}`)
    }
    await clearStage()
  }
  expect(offered).toEqual([])
})

async function scrollIn(windows: readonly (readonly [width: number, height: number])[]): Promise<void> {
  const tooTall: string[] = []
  const tooWide: string[] = []
  for (const place of places) {
    const { screen } = await openPage(place)
    await expect.element(screen.getByRole("main")).toBeVisible()
    for (const [width, height] of windows) {
      await page.viewport(width, height)
      await expect.poll(() => document.querySelector("main .animate-pulse"), { message: place }).toBeNull()
      await tryToScroll()
      const beyond = document.documentElement.scrollHeight - innerHeight
      if (beyond > 0 || scrollY > 0) tooTall.push(`${place}, ${width} wide: ${beyond} px`)
      tooWide.push(...pushedOut().map((what) => `${place}, ${width} wide: ${what}`))
    }
    await clearStage()
  }
  expect({ tooTall, tooWide }).toEqual({ tooTall: [], tooWide: [] })
}

it.each(WINDOWS)("keeps what stands alone in a window %i wide within reach", async (width) => {
  await page.viewport(width, 300)
  for (const alone of [
    <SignInPage
      key="sign-in"
      ways={{ password: true, oidc: null }}
      problem={new Error("No. ".repeat(200))}
      attempt={async () => undefined}
    />,
    <Unreachable key="unreachable" />,
  ]) {
    const screen = await show(alone)
    await expect.element(screen.getByRole("main")).toBeVisible()
    expect(document.documentElement.scrollHeight - innerHeight).toBe(0)
    const main = screen.getByRole("main").element()
    expect(main.clientHeight).toBe(innerHeight)
    expect(getComputedStyle(main).overflowY).toBe("auto")
    await clearStage()
  }
})

/** Buttons that a long word has pushed out of sight, where nothing scrolls sideways on purpose. */
function pushedOut(): string[] {
  return [...document.querySelectorAll("main button, main a")]
    .filter((each) => each.closest(".overflow-x-auto, .overflow-auto, .react-flow") === null)
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    .map((each) => each.outerHTML.slice(0, 120))
}

/** By every means at hand: the wheel, the keys, and a program that asks for it. */
async function tryToScroll(): Promise<void> {
  ;(document.activeElement as HTMLElement | null)?.blur()
  await userEvent.keyboard("{PageDown}{End} ")
  document.documentElement.dispatchEvent(new WheelEvent("wheel", { deltaY: 2000, bubbles: true }))
  for (const hidden of document.querySelectorAll(".sr-only")) hidden.scrollIntoView()
  scrollBy(0, 2000)
}
