import type { InputOf, machines } from "@chorus/contracts"
import type { Hired } from "./furnish.ts"

const at = "2026-01-01T09:00:00.000Z"
const member = (name: string, color?: string) => ({ agentId: `${name}@session-1a2b3c4d`, name, joinedAt: 1, tmuxPaneId: "", cwd: "/work", subscriptions: [], ...(color === undefined ? {} : { color }) })
const about = { team: "session-1a2b3c4d", at }

/** A studio machine: two terminals, a team of three with a conversation, and plugins of which one drifted. */
const STUDIO: InputOf<typeof machines.reportMachine> = {
  machine: "studio",
  terminals: [
    { terminalId: "t1", agent: "claude", state: "running", since: Date.now() - 240_000, source: "claude:PreToolUse", title: "Address form", detail: "Edit src/checkout/address.tsx", summary: null, exitCode: null, resumeCommand: null, reason: null },
    { terminalId: "t2", agent: "codex", state: "needsInput", since: Date.now() - 60_000, source: "codex:PermissionRequest", title: "Card fields", detail: "Bash: npm install", summary: null, exitCode: null, resumeCommand: null, reason: null },
  ],
  teamFacts: [
    { ...about, fact: "team", era: "session", ledByChorus: false },
    { ...about, fact: "member", member: member("team-lead"), state: "working", lead: true },
    { ...about, fact: "member", member: member("frontend", "blue"), state: "working", lead: false },
    { ...about, fact: "member", member: member("payments", "green"), state: "idle", lead: false },
    { ...about, fact: "message", id: "m1", from: "team-lead", to: "frontend", kind: "message", text: "Start with the address form; keep it to one column.", sentAt: at },
    { ...about, fact: "message", id: "m2", from: "frontend", to: "team-lead", kind: "message", text: "The form is in place. Autocomplete comes next.", sentAt: "2026-01-01T09:20:00.000Z" },
    { ...about, fact: "task", task: { id: "1", subject: "Address form", description: "", status: "in_progress", owner: "frontend", blocks: ["2"], blockedBy: [] }, links: [] },
    { ...about, fact: "task", task: { id: "2", subject: "Join the steps", description: "", status: "pending", blocks: [], blockedBy: ["1"] }, links: [] },
  ],
  inventory: {
    machine: "studio",
    takenAt: at,
    marketplaces: [],
    plugins: [
      { id: "review@studio", version: "1.2.0", scope: "user", enabled: true, contentHash: "a1", surfaceHash: "s1", errors: [] },
      { id: "deploy@studio", version: "0.9.0", scope: "user", enabled: true, contentHash: "b1", surfaceHash: "s2", errors: [] },
    ],
  },
}

export async function openMachineRoom(owner: Hired["call"], builder: Hired): Promise<void> {
  await builder.call("chorus_report_machine", STUDIO)
  const plugin = { contentHash: "a1", surfaceHash: "s1", enabled: true, required: true }
  await owner("chorus_curate_plugins", {
    revision: 0,
    marketplaces: { studio: { source: { source: "github", repo: "acme/plugins" } } },
    plugins: [
      { id: "review@studio", version: "1.2.0", ...plugin },
      { id: "deploy@studio", version: "1.0.0", ...plugin },
    ],
    exclusive: false,
  })
}
