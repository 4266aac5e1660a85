#!/usr/bin/env node
// The same as emit.pl for machines without Perl; a Node process costs ten times as much to start.
const fs = require("node:fs")
const net = require("node:net")

setTimeout(() => process.exit(0), 1000).unref()
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
  }).slice(0, -1)
  const payload =
    input.length > 65536
      ? `"head":${JSON.stringify(input.slice(0, 16384))}`
      : `"payload":${input.replace(/[\r\n]/g, " ")}`
  const listener = net.connect(socket, () => listener.end(`${facts},${payload}}\n`))
  listener.on("error", () => process.exit(0))
}
