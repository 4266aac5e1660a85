import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { acpAdapter, agentProgram, drive, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import { openStage, type Stage } from "./run-stage.ts"

/** Each its own door: those whose work meets are told of each other, which is a turn more. */
const paint = (program: string) => `echo red > ${program}.txt && cat ${program}.txt`

/** Each program with the call by which its model runs a command, and whether it asks first as this machine lets it. */
const PROGRAMS = [
  {
    program: "claude",
    paint: { name: "Bash", input: { command: paint("claude"), description: "paint" } },
    asks: true,
    places: async () => [dirname(await agentProgram("claude-code")), await acpAdapter("claude")],
  },
  {
    program: "codex",
    paint: { name: "exec_command", input: { cmd: paint("codex") } },
    asks: false,
    places: async () => [dirname(await agentProgram("codex")), await acpAdapter("codex")],
  },
  {
    program: "opencode",
    paint: { name: "bash", input: { command: paint("opencode"), description: "paint" } },
    asks: true,
    places: async () => [dirname(await agentProgram("opencode"))],
  },
] as const

const furniture = new AsyncDisposableStack()
let stage: Stage
let protocol: Definitions

beforeAll(async () => {
  const model = furniture.use(await startModel(drive))
  const home = furniture.use(scratchHome({ model }))
  const programs = (await Promise.all(PROGRAMS.map(({ places }) => places()))).flat()
  const env = { ...home.environment, PATH: [...programs, home.environment["PATH"]].join(":"), CHORUS_CHECK_OUTPUT: "1" }
  const allow = ["--mode", "all", "--slots", "3", "--env", "SCRIPTED_API_KEY", "npm_config_registry"]
  stage = furniture.use(await openStage({ allow, env }))
  const library = join(dirname(await acpAdapter("claude")), "@agentclientprotocol", "sdk", "schema", "v1")
  protocol = Definitions.parse(JSON.parse(readFileSync(join(library, "schema.unstable.json"), "utf8")))
})
afterAll(() => furniture.disposeAsync())

// Beside each other on one machine, as people have them.
it.concurrent.each(PROGRAMS)(
  "$program does a task, takes a second turn, and leaves nothing",
  async ({ program, paint: call, asks }) => {
    const taskUuid = await stage.task(
      `DO: ${JSON.stringify([[call], { text: "DONE The door is red.\n[x] 1 it says red" }])}`,
    )
    const { uuid } = await stage.start(taskUuid, "--program", program, "--mode", asks ? "ask" : "all")
    if (asks) {
      await stage.until(uuid, "waiting")
      await stage.json("runs", "answer", uuid, "yes")
    }
    const run = await stage.until(uuid, "finished", "failed", "lost")
    expect(run).toMatchObject({ state: "finished", reason: null })
    expect(run.usage.outputTokens).toBeGreaterThan(0)
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({
      status: "to_verify",
      acceptanceCriteriaItems: [{ devStatus: "passed" }],
    })
    expect(stage.git("show", `refs/chorus/runs/${uuid}/turn/1:${program}.txt`)).toBe("red")
    const told = await stage.transcript(uuid)
    expect(told.find(({ kind, title }) => kind === "tool" && title?.includes(`${program}.txt`))).toMatchObject({
      status: "completed",
    })
    expect(told.at(-1)?.text).toContain("DONE The door is red.")
    await waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")

    await stage.call("chorus_admin_reopen_task", { taskUuid, force: true })
    await stage.json("runs", "send", uuid, 'DO: [{"text":"DONE Twice."}]')
    expect(await stage.until(uuid, "finished", "failed", "lost")).toMatchObject({
      state: "finished",
      turns: 2,
      sessionId: run.sessionId,
      worktree: run.worktree,
    })
    expect((await stage.transcript(uuid)).at(-1)?.text).toContain("DONE Twice.")
    await waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")
    const sent = framesOf(uuid)
    expect(sent.length).toBeGreaterThan(5)
    expect(sent.flatMap(({ frame, of }) => faultsOf(frame, of))).toEqual([])
  },
)

const Definitions = z.object({
  $schema: z.string(),
  $defs: z.record(z.string(), z.looseObject({ "x-method": z.string().optional(), "x-side": z.string().optional() })),
})
type Definitions = z.infer<typeof Definitions>

const Frame = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})
type Frame = z.infer<typeof Frame>

/** What we said to a program, each answer with what it had asked. */
function framesOf(uuid: string): { frame: Frame; of: string | undefined }[] {
  const lines = readFileSync(join(stage.data, "runner", "runs", uuid, "frames.jsonl"), "utf8")
    .trim()
    .split("\n")
  const asked = new Map<string | number, string>()
  return lines.flatMap((line) => {
    const { in: heard, out } = JSON.parse(line) as { in?: string; out?: string }
    if (out !== undefined) {
      const frame = Frame.parse(JSON.parse(out))
      return [{ frame, of: frame.method ?? asked.get(frame.id ?? "") }]
    }
    const { id, method } = JSON.parse(heard ?? "{}") as { id?: string | number; method?: string }
    if (id !== undefined && method !== undefined) asked.set(id, method)
    return []
  })
}

/** What the protocol's own library says against a frame; words of a program's own begin with `_`. */
function faultsOf(frame: Frame, method = "nothing that was asked"): string[] {
  if (method.startsWith("_") || frame.error !== undefined) return []
  const [kinds, side] = frame.method === undefined ? [/Response$/, "client"] : [/(Request|Notification)$/, "agent"]
  const [name] =
    Object.entries(protocol.$defs).find(
      ([key, one]) => kinds.test(key) && one["x-method"] === method && one["x-side"] === side,
    ) ?? []
  if (name === undefined) return [`${method} is no word of the protocol`]
  const { $schema, $defs } = protocol
  const told = z
    .fromJSONSchema({ $schema, $defs, $ref: `#/$defs/${name}` } as Parameters<typeof z.fromJSONSchema>[0])
    .safeParse(frame.method === undefined ? frame.result : frame.params)
  return told.success ? [] : [`${name}: ${told.error.message}`]
}
