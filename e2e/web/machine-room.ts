import type { InputOf, machines, SurfaceItem, TaskId } from "@chorus/contracts"
import type { Hired } from "./furnish.ts"

const at = "2026-01-01T09:00:00.000Z"
const member = (name: string, color?: string) => ({
  agentId: `${name}@session-1a2b3c4d`,
  name,
  joinedAt: 1,
  tmuxPaneId: "",
  cwd: "/work",
  subscriptions: [],
  ...(color === undefined ? {} : { color }),
})
const about = { team: "session-1a2b3c4d", at }

const REVIEW: SurfaceItem[] = [
  {
    kind: "hook",
    where: "PostToolUse(Edit|Write)",
    does: '"${CLAUDE_PLUGIN_ROOT}/scripts/note-change.sh"',
    script: "11",
  },
  { kind: "mcp", where: "review", does: "node ${CLAUDE_PLUGIN_ROOT}/server.js", script: "12" },
]

const DEPLOY: SurfaceItem[] = [
  { kind: "hook", where: "Stop", does: '"${CLAUDE_PLUGIN_ROOT}/bin/check-staging"', script: "21" },
  { kind: "setting", where: "deploy", does: "uses without asking: Bash(git push:*)" },
  { kind: "mcp", where: "cluster", does: "npx -y cluster-mcp@2" },
  { kind: "download", where: "cluster", does: "npx fetches cluster-mcp@2" },
  { kind: "connect", where: "MCP status", does: "https://status.acme.example/mcp" },
]

/** A studio machine: two terminals, a team of three with a conversation, and plugins of which one drifted. */
const STUDIO: InputOf<typeof machines.reportMachine> = {
  machine: "studio",
  terminals: [
    {
      terminalId: "t1",
      agent: "claude",
      state: "running",
      since: Date.now() - 240_000,
      source: "claude:PreToolUse",
      title: "Address form",
      detail: "Edit src/checkout/address.tsx",
      summary: null,
      exitCode: null,
      resumeCommand: null,
      reason: null,
      outside: false,
      ask: null,
      unread: false,
      ended: false,
    },
    {
      terminalId: "t2",
      agent: "codex",
      state: "needsInput",
      since: Date.now() - 60_000,
      source: "codex:PermissionRequest",
      title: "Card fields",
      detail: "Bash: npm install",
      summary: null,
      exitCode: null,
      resumeCommand: null,
      reason: null,
      outside: false,
      ask: null,
      unread: false,
      ended: false,
    },
  ],
  teamFacts: [
    { ...about, fact: "team", era: "session", ledByChorus: false },
    { ...about, fact: "member", member: member("team-lead"), state: "working", lead: true },
    { ...about, fact: "member", member: member("frontend", "blue"), state: "working", lead: false },
    { ...about, fact: "member", member: member("payments", "green"), state: "idle", lead: false },
    {
      ...about,
      fact: "message",
      id: "m1",
      from: "team-lead",
      to: "frontend",
      kind: "message",
      text: "Start with the address form; keep it to one column.",
      sentAt: at,
    },
    {
      ...about,
      fact: "message",
      id: "m2",
      from: "frontend",
      to: "team-lead",
      kind: "message",
      text: "The form is in place. Autocomplete comes next.",
      sentAt: "2026-01-01T09:20:00.000Z",
    },
    {
      ...about,
      fact: "task",
      task: {
        id: "1",
        subject: "Address form",
        description: "",
        status: "in_progress",
        owner: "frontend",
        blocks: ["2"],
        blockedBy: [],
      },
      links: [],
    },
    {
      ...about,
      fact: "task",
      task: { id: "2", subject: "Join the steps", description: "", status: "pending", blocks: [], blockedBy: ["1"] },
      links: [],
    },
  ],
  inventory: {
    machine: "studio",
    takenAt: at,
    marketplaces: [{ name: "studio", source: { source: "github", repo: "acme/plugins" } }],
    plugins: [
      {
        id: "review@studio",
        version: "1.2.0",
        scope: "user",
        enabled: true,
        contentHash: "sha256-a1f09c77d2e4",
        surfaceHash: "s1",
        surface: REVIEW,
        errors: [],
      },
      {
        id: "deploy@studio",
        version: "0.9.0",
        scope: "user",
        enabled: true,
        contentHash: "sha256-b17e0425aa90",
        surfaceHash: "s2",
        surface: DEPLOY.slice(0, 2),
        update: "1.1.0",
        errors: [],
      },
    ],
    offers: [
      {
        id: "deploy@studio",
        version: "1.1.0",
        description: "Ships a branch to staging and watches it for ten minutes.",
        contentHash: "sha256-c9920fb1e6d3",
        surfaceHash: "s3",
        surface: DEPLOY,
      },
      {
        id: "review@studio",
        version: "1.2.0",
        description: "Reviews a change for correctness before a person has to.",
        contentHash: "sha256-a1f09c77d2e4",
        surfaceHash: "s1",
        surface: REVIEW,
      },
      {
        id: "house-style@studio",
        version: "2.0.1",
        description: "How we write: naming, comments, commit messages.",
        contentHash: "sha256-0d55b1a8c3f2",
        surfaceHash: "s0",
        surface: [],
      },
      { id: "tickets@studio", description: "Reads and files tickets in the team's tracker." },
    ],
  },
}

export interface MachineRoom {
  readonly teamUuid: string
  /** It asks for something. */
  readonly runUuid: string
}

export async function openMachineRoom(owner: Hired["call"], builder: Hired, projectUuid: string): Promise<MachineRoom> {
  await builder.call("chorus_report_machine", STUDIO)
  await owner("chorus_curate_plugins", {
    revision: 0,
    marketplaces: { studio: { source: { source: "github", repo: "acme/plugins" } } },
    plugins: [
      {
        id: "review@studio",
        version: "1.2.0",
        contentHash: "sha256-a1f09c77d2e4",
        surfaceHash: "s1",
        surface: REVIEW,
        enabled: true,
        required: true,
      },
      {
        id: "deploy@studio",
        version: "1.0.0",
        contentHash: "sha256-77c2de51f04b",
        surfaceHash: "s2",
        surface: DEPLOY.slice(0, 2),
        enabled: true,
        required: false,
      },
    ],
    exclusive: false,
  })
  const [team] = (await owner("chorus_list_teams", {})).teams
  if (team === undefined) throw new Error("there is no team")
  return { teamUuid: team.uuid, runUuid: await openRun(owner, builder, projectUuid) }
}

async function openRun(owner: Hired["call"], builder: Hired, projectUuid: string): Promise<string> {
  const { tasks } = await owner("chorus_create_tasks", {
    projectUuid,
    tasks: [
      { title: "Mend the flicker of the summary", acceptanceCriteriaItems: [{ description: "It stands still" }] },
    ],
  })
  const runner = {
    machine: "studio",
    programs: [{ program: "codex" as const, version: "0.166.0", missing: null, mode: "edit" as const }],
    folders: ["/shop"],
    slots: 2,
    busy: 0,
    room: { memory: 16_384, freeMemory: 6144, worktrees: 512 },
  }
  await builder.call("chorus_lease_run", runner)
  const [task] = tasks
  if (task === undefined) throw new Error("there is no task")
  await owner("chorus_start_run", { taskUuid: task.uuid as TaskId, program: "codex", machine: "studio" })
  const { run } = await builder.call("chorus_lease_run", runner)
  if (run === null) throw new Error("nothing was started")
  const entry = { turn: 1, child: null, title: null, status: null, data: {}, at }
  await builder.call("chorus_report_run", {
    runUuid: run.uuid,
    lease: run.lease,
    state: "waiting",
    entries: [
      { ...entry, id: "e1", place: 1, kind: "message", text: "The summary is measured **twice**; I will look why." },
      { ...entry, id: "e2", place: 2, kind: "tool", title: "npm test", status: "completed", text: "2 of 2 passed" },
    ],
    asks: [
      {
        requestId: "r1",
        kind: "permission",
        title: "Run a command",
        detail: { kind: "execute", input: { command: "npm install" } },
      },
    ],
  })
  return run.uuid
}
