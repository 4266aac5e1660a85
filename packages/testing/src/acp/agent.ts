import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { createInterface } from "node:readline"

/**
 * An agent that speaks the Agent Client Protocol and does what its prompt says: the last line `ACP: [step, …]` of it, one JSON
 * object for each step; without one it says "DONE". What it does is real: commands run, files are written.
 *
 * say, think: words · tool: a call that is only told · sh: a command · write: a file · ask: a permission, then `yes` or `no` ·
 * elicit: a form · settings: says its mode and model · plan, update: as they stand · sub: a sub-agent's steps · mcp: a tool of the server it was given · sleep: ms ·
 * raw: a line that is no frame · flood: so many chunks · error: ends the prompt · stop: ends it with that reason · orphan: a command
 * that leaves its session · crash · exit · hang: deaf to everything.
 *
 * Flags: --state DIR keeps conversations · --no-resume · --steer · --linger stays when its input ends · --protocol N · --mute · --mute-until FILE is there · --sign-in FILE is there
 */
type Fields = Record<string, unknown>
type Step = Fields & { yes?: Step[]; no?: Step[] }

interface Session {
  readonly id: string
  readonly cwd: string
  readonly servers: Fields[]
  turns: string[]
  readonly settings: Fields
  cancelled: boolean
  deaf: boolean
}

class Ended extends Error {}

const flag = (name: string) => process.argv.includes(`--${name}`)
const option = (name: string) => process.argv[process.argv.indexOf(`--${name}`) + 1] ?? ""
const state = flag("state") ? option("state") : undefined
const sessions = new Map<string, Session>()
const waiting = new Map<string, (answer: Fields) => void>()
const children = new Set<ReturnType<typeof spawn>>()
let count = 0

const send = (frame: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`)
const fileOf = (id: string) => join(state ?? "", `${id}.json`)
const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

function update(session: Session, told: Fields, id = session.id): void {
  send({ method: "session/update", params: { sessionId: id, update: told } })
}

function request(method: string, params: object): Promise<Fields> {
  const id = count++
  return new Promise((answered) => {
    waiting.set(String(id), answered)
    send({ id, method, params })
  })
}

async function nap(session: Session, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(10)) check(session)
}

function check(session: Session): void {
  if (session.cancelled && !session.deaf) throw new Ended("cancelled")
}

async function perform(session: Session, steps: Step[], id = session.id): Promise<void> {
  for (const step of steps) {
    check(session)
    await take(session, step, id)
  }
}

async function take(session: Session, step: Step, id: string): Promise<void> {
  const tell = (told: Fields) => update(session, told, id)
  const words = (sessionUpdate: string, text: unknown) => tell({ sessionUpdate, content: { type: "text", text } })
  const toolCallId = `call_${count++}`
  const begin = (more: Fields) => tell({ sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...more })
  const end = (status: string, more: Fields = {}) =>
    tell({ sessionUpdate: "tool_call_update", toolCallId, status, ...more })
  const shown = (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] })

  if (step["settings"] !== undefined) return words("agent_message_chunk", `set to ${JSON.stringify(session.settings)}`)
  if (typeof step["say"] === "string") return words("agent_message_chunk", step["say"])
  if (step["think"] !== undefined) return words("agent_thought_chunk", step["think"])
  if (step["update"] !== undefined) return tell(step["update"] as Fields)
  if (step["plan"] !== undefined) return tell({ sessionUpdate: "plan", entries: step["plan"] })
  if (step["usage"] !== undefined) return tell({ sessionUpdate: "usage_update", ...(step["usage"] as Fields) })
  if (step["raw"] !== undefined) return void process.stdout.write(`${String(step["raw"])}\n`)
  if (typeof step["sleep"] === "number") return nap(session, step["sleep"])
  if (step["crash"] === true) process.kill(process.pid, "SIGKILL")
  if (typeof step["exit"] === "number") process.exit(step["exit"])
  if (typeof step["stop"] === "string") throw new Ended(step["stop"])
  if (step["error"] !== undefined) throw Object.assign(new Error("refused"), { frame: step["error"] })
  if (step["hang"] === true) {
    session.deaf = true
    await new Promise(() => undefined)
  }
  if (typeof step["flood"] === "number") {
    for (let at = 0; at < step["flood"]; at++) {
      words("agent_message_chunk", `${at} `)
      if (process.stdout.writableNeedDrain) await new Promise((go) => process.stdout.once("drain", go))
    }
    return
  }
  if (typeof step["orphan"] === "string") {
    spawn("/bin/sh", ["-c", step["orphan"]], { cwd: session.cwd, detached: true, stdio: "ignore" }).unref()
    return
  }
  if (typeof step["sh"] === "string") {
    begin({ title: step["sh"], kind: "execute", rawInput: { command: step["sh"] } })
    const { code, output } = await shell(session, step["sh"])
    return end(code === 0 ? "completed" : "failed", { rawOutput: { exit_code: code }, ...shown(output) })
  }
  if (step["write"] !== undefined) {
    const { path, text } = step["write"] as { path: string; text: string }
    const file = resolve(session.cwd, path)
    const oldText = existsSync(file) ? readFileSync(file, "utf8") : null
    begin({ title: `Write ${path}`, kind: "edit", content: [{ type: "diff", path: file, oldText, newText: text }] })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return end("completed")
  }
  if (step["tool"] !== undefined) {
    begin({ kind: "other", ...(step["tool"] as Fields) })
    return end("completed", shown(String(step["out"] ?? "")))
  }
  if (step["ask"] !== undefined) {
    const toolCall = { toolCallId, status: "pending", kind: "execute", ...(step["ask"] as Fields) }
    tell({ sessionUpdate: "tool_call", ...toolCall })
    const options = [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "once", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ]
    const answered = await request("session/request_permission", { sessionId: id, toolCall, options })
    const outcome = ((answered["result"] as Fields | undefined)?.["outcome"] ?? {}) as Fields
    if (outcome["outcome"] === "cancelled") throw new Ended("cancelled")
    end(outcome["optionId"] === "once" ? "completed" : "failed")
    const next = outcome["optionId"] === "once" ? step.yes : step.no
    return perform(session, next ?? [{ say: `chose ${String(outcome["optionId"])}` }], id)
  }
  if (step["elicit"] !== undefined) {
    const answered = await request("elicitation/create", { sessionId: id, mode: "form", ...(step["elicit"] as Fields) })
    return words("agent_message_chunk", `heard ${JSON.stringify(answered["result"] ?? answered["error"])}`)
  }
  if (step["sub"] !== undefined) {
    const child = randomUUID()
    const { title, steps } = step["sub"] as { title: string; steps: Step[] }
    const told = { sessionUpdate: "subagent_update", sessionId: child }
    tell({ ...told, title, state: { state: "running" } })
    await perform(session, steps, child)
    return tell({ ...told, state: { state: "idle", stopReason: "end_turn" } })
  }
  if (step["mcp"] !== undefined) {
    const { tool, args } = step["mcp"] as { tool: string; args: object }
    begin({ title: `mcp__chorus__${tool}`, kind: "other", rawInput: args })
    return end("completed", shown(await callTool(session, tool, args)))
  }
}

function shell(session: Session, command: string): Promise<{ code: number | null; output: string }> {
  const child = spawn("/bin/sh", ["-c", command], { cwd: session.cwd, detached: true })
  children.add(child)
  let output = ""
  child.stdout.on("data", (text) => (output += String(text)))
  child.stderr.on("data", (text) => (output += String(text)))
  return new Promise((over) =>
    child.on("close", (code) => {
      children.delete(child)
      over({ code, output })
    }),
  )
}

async function callTool(session: Session, name: string, args: object): Promise<string> {
  const server = session.servers[0] as { url: string; headers: { name: string; value: string }[] } | undefined
  if (server === undefined) return "no server"
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...Object.fromEntries(server.headers.map((header) => [header.name, header.value])),
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  const answer = await fetch(server.url, { method: "POST", headers, body })
  return `${answer.status} ${await answer.text()}`
}

function stepsIn(text: string): Step[] {
  const line = text
    .split("\n")
    .findLast((one) => one.trim().startsWith("ACP: ["))
    ?.trim()
  return line === undefined ? [{ say: "DONE" }] : (JSON.parse(line.slice(5)) as Step[])
}

async function prompted(id: unknown, session: Session, text: string): Promise<void> {
  session.cancelled = false
  session.turns.push(text)
  save(session)
  try {
    await perform(session, stepsIn(text))
    send({ id, result: { stopReason: "end_turn", usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 } } })
  } catch (error) {
    const { frame } = error as { frame?: unknown }
    if (frame !== undefined) send({ id, error: frame })
    else send({ id, result: { stopReason: error instanceof Ended ? error.message : String(error) } })
  }
  endChildren()
}

function endChildren(): void {
  for (const child of children) process.kill(-(child.pid ?? 0), "SIGKILL")
}

function save(session: Session): void {
  if (state === undefined) return
  mkdirSync(state, { recursive: true })
  writeFileSync(fileOf(session.id), JSON.stringify(session.turns))
}

function open(id: string, params: Fields, turns: string[]): Session {
  const servers = (params["mcpServers"] ?? []) as Fields[]
  const session = { id, cwd: String(params["cwd"]), servers, turns, settings: {}, cancelled: false, deaf: false }
  sessions.set(id, session)
  save(session)
  return session
}

function answerTo(method: string, params: Fields): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: flag("protocol") ? Number(option("protocol")) : 1,
        agentInfo: { name: "scripted", version: "1.0.0" },
        agentCapabilities: {
          loadSession: true,
          sessionCapabilities: flag("no-resume") ? { close: {} } : { close: {}, resume: {} },
        },
        authMethods: [],
        _meta: { steering: { supported: flag("steer") } },
      }
    case "session/new":
      if (flag("sign-in") && !existsSync(option("sign-in"))) throw fault(-32_000, "Authentication required")
      if (!isAbsolute(String(params["cwd"])) || !existsSync(String(params["cwd"]))) throw fault(-32_602, "cwd")
      return { sessionId: open(randomUUID(), params, []).id }
    case "session/resume":
    case "session/load": {
      const id = String(params["sessionId"])
      if (state === undefined || !existsSync(fileOf(id))) throw fault(-32_002, "Resource not found")
      const session = open(id, params, JSON.parse(readFileSync(fileOf(id), "utf8")) as string[])
      const said = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "of before" } }
      if (method === "session/load") update(session, said)
      return {}
    }
    case "session/set_mode":
    case "session/set_model": {
      const { sessionId, ...set } = params
      Object.assign(sessions.get(String(sessionId))?.settings ?? {}, set)
      return {}
    }
    case "session/close":
      return {}
    case "_session/steering": {
      if (!flag("steer")) throw fault(-32_601, "Method not found")
      const session = sessions.get(String(params["sessionId"]))
      const [first] = params["prompt"] as { text: string }[]
      const text = `steered: ${first?.text ?? ""}`
      if (session) update(session, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
      return { outcome: "injected" }
    }
    default:
      throw fault(-32_601, "Method not found")
  }
}

function fault(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function hear(line: string): void {
  const { id, method, params = {}, ...rest } = JSON.parse(line) as Fields & { params?: Fields }
  if (typeof method !== "string") return waiting.get(String(id))?.(rest)
  if (flag("mute") || (flag("mute-until") && !existsSync(option("mute-until")))) return
  const session = sessions.get(String(params["sessionId"]))
  if (method === "session/cancel") {
    if (session !== undefined && !session.deaf) {
      session.cancelled = true
      endChildren()
    }
    return
  }
  if (method === "session/prompt" && session !== undefined) {
    const [first] = params["prompt"] as { text: string }[]
    return void prompted(id, session, first?.text ?? "")
  }
  try {
    send({ id, result: answerTo(method, params) })
  } catch (error) {
    const { code = -32_603, message } = error as { code?: number; message: string }
    send({ id, error: { code, message } })
  }
}

createInterface({ input: process.stdin })
  .on("line", hear)
  .on("close", () => {
    if (flag("linger")) return linger()
    endChildren()
    process.exit(0)
  })
/** Stays, and says by a file that nobody speaks to it any more. */
function linger(): void {
  if (flag("state")) writeFileSync(join(option("state"), "lingers"), "")
  setInterval(() => undefined, 1_000_000)
}
process.stdout.on("error", () => process.exit(0))
if (flag("linger")) process.on("SIGTERM", () => undefined)
