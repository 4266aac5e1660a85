#!/usr/bin/env node
// The same as emit.pl for machines without Perl; a Node process costs ten times as much to start. "later" brings a line that
// nobody heard, as it was given, to the next listener.
const { spawn } = require("node:child_process")
const fs = require("node:fs")
const net = require("node:net")

const [, , task] = process.argv
const [awaits, isLater] = [task === "await", task === "later"]
if (!awaits && !isLater) setTimeout(() => process.exit(0), 1000).unref()
const {
  CHORUS_SOCK: socket,
  CHORUS_TERMINAL_ID: terminalId,
  CHORUS_AGENT: hook,
  CHORUS_AGENT_PID: launched,
  CLAUDE_PID: claude,
} = process.env
const input = fs.readFileSync(0, "utf8")
let tries = 100
if (isLater) say(input)
else if (socket && terminalId && hook) say(lineOf(input))

function lineOf(text) {
  const facts = JSON.stringify({
    hook,
    terminalId,
    pid: Number(claude || launched) || undefined,
    at: Date.now(),
    ask: awaits ? `${hook}-${process.pid}-${Date.now()}` : undefined,
  }).slice(0, -1)
  const payload =
    text.length > 65536 ? `"head":${JSON.stringify(text.slice(0, 16384))}` : `"payload":${text.replace(/[\r\n]/g, " ")}`
  return `${facts},${payload}}\n`
}

function say(line) {
  const listener = net.connect(socket, () => (awaits ? listener.write(line) : listener.end(line)))
  listener.on("data", (text) => {
    const said = /"decision":"(approve|deny)"/.exec(String(text))?.[1]
    const decision =
      said === "approve"
        ? { behavior: "allow" }
        : { behavior: "deny", message: "A person refused this.", interrupt: true }
    if (said) console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }))
    listener.end()
  })
  listener.on("error", () => {
    if (!fs.existsSync(`${socket}.log`) || tries-- === 0) return process.exit(0)
    if (awaits || isLater) return setTimeout(say, 100, line)
    const later = spawn(process.execPath, [__filename, "later"], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    later.unref()
    later.stdin.end(line, () => process.exit(0))
  })
}
