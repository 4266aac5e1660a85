#!/usr/bin/env node
// The same as emit.pl for machines without Perl; a Node process costs ten times as much to start.
const fs = require("node:fs")
const net = require("node:net")

const awaits = process.argv[2] === "await"
if (!awaits) setTimeout(() => process.exit(0), 1000).unref()
const {
  CHORUS_SOCK: socket,
  CHORUS_TERMINAL_ID: terminalId,
  CHORUS_AGENT: hook,
  CHORUS_AGENT_PID: launched,
  CLAUDE_PID: claude,
} = process.env
const input = fs.readFileSync(0, "utf8")
if (socket && terminalId && hook) {
  const facts = JSON.stringify({
    hook,
    terminalId,
    pid: Number(claude || launched) || undefined,
    at: Date.now(),
    ask: awaits ? `${hook}-${process.pid}-${Date.now()}` : undefined,
  }).slice(0, -1)
  const payload =
    input.length > 65536
      ? `"head":${JSON.stringify(input.slice(0, 16384))}`
      : `"payload":${input.replace(/[\r\n]/g, " ")}`
  const line = `${facts},${payload}}\n`
  const listener = net.connect(socket, () => (awaits ? listener.write(line) : listener.end(line)))
  listener.on("data", (text) => {
    const said = /"decision":"(approve|deny)"/.exec(String(text))?.[1]
    const decision =
      said === "approve" ? { behavior: "allow" } : { behavior: "deny", message: "A person refused this." }
    if (said) console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }))
    listener.end()
  })
  listener.on("error", () => process.exit(0))
}
