import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, builder, reportedRow, statusRow } from "../../test/examples.ts"
import {
  chars,
  flag,
  key,
  like,
  line,
  list,
  nullable,
  optional,
  OTHER,
  page,
  paging,
  prose,
  TASK,
  uuid,
} from "../../test/field-rule.ts"
import {
  browsePlugins,
  curatePlugins,
  getCuratedPlugins,
  KnownPlugin,
  listMachines,
  listTerminals,
  MachineRow,
  reportMachine,
  TerminalRow,
} from "./machines.ts"
import { askShutdown, getTeam, listTeams, TeamMemberRow, TeamMessageRow, TeamRow, writeToMember } from "./team-room.ts"

const TEAM = OTHER
const inventory = { machine: "laptop", takenAt: AT, marketplaces: [], plugins: [] }
const gone = { team: "cats", at: AT, fact: "team_gone" }

describeInput(reportMachine, {
  smallest: { machine: "laptop", terminals: [reportedRow] },
  becomes: { machine: "laptop", terminals: [reportedRow], goneTerminals: [], teamFacts: [] },
  fields: {
    machine: line(120),
    terminals: optional(list(like(reportedRow), 0, 500)),
    "terminals.0.terminalId": { says: "is a text", takes: ["tty1"], refuses: [7, null] },
    "terminals.0.exitCode": nullable({ says: "is a whole number", takes: [0, 137], refuses: [1.5, "0"] }),
    goneTerminals: optional(list(key(200), 0, 500)),
    presentTerminals: optional(list(key(200), 0, 5000)),
    teamFacts: optional(list(like(gone), 0, 1000)),
    inventory: optional(like(inventory)),
    leftAt: optional({ says: "is a time", takes: [AT], refuses: ["yesterday", 7, null] }),
  },
})

describe("a machine's report", () => {
  it("needs nothing but the machine's name", () => {
    expect(reportMachine.input.parse({ machine: "laptop" })).toEqual({
      machine: "laptop",
      terminals: [],
      goneTerminals: [],
      teamFacts: [],
    })
  })

  it("is refused whole when one fact is of a kind nobody knows", () => {
    expect(
      reportMachine.input.safeParse({ machine: "laptop", teamFacts: [gone, { ...gone, fact: "team_flew_away" }] })
        .success,
    ).toBe(false)
  })

  it("drops what a terminal's row should not have", () => {
    expect(
      reportMachine.input.parse({ machine: "laptop", terminals: [{ ...reportedRow, pid: 7, env: { KEY: "secret" } }] })
        .terminals,
    ).toEqual([reportedRow])
  })
})

describe.each([browsePlugins, getCuratedPlugins])("a look at all plugins", (signature) => {
  describeInput(signature, { smallest: {}, fields: {} })
})

describeInput(listMachines, { smallest: {}, becomes: { page: 1, pageSize: 200 }, fields: paging })
describeInput(listTerminals, { smallest: {}, becomes: { page: 1, pageSize: 1000 }, fields: paging })

const curated = { id: "lint@house", version: "1.0.0", contentHash: "c", surfaceHash: "s" }

describeInput(curatePlugins, {
  smallest: { revision: 0, marketplaces: {}, plugins: [curated] },
  becomes: {
    revision: 0,
    marketplaces: {},
    plugins: [{ ...curated, enabled: true, required: true }],
    exclusive: false,
  },
  fields: {
    revision: { says: "is a whole number from 0", takes: [0, 12], refuses: [-1, 0.5, "0", null] },
    marketplaces: {
      says: "names marketplaces by where they come from",
      takes: [{}, { house: { source: { source: "github", repo: "a/b" } } }],
      refuses: [{ house: {} }, { house: { source: { source: "carrier pigeon" } } }, [], null],
    },
    plugins: {
      says: "is a list of plugins with the bytes that were approved",
      takes: [[], [curated, curated]],
      refuses: [[{ id: "lint@house" }], curated, null],
    },
    "plugins.0.id": { says: "is a text", takes: ["a@b"], refuses: [7, null] },
    "plugins.0.enabled": optional(flag),
    "plugins.0.required": optional(flag),
    "plugins.0.options": optional({
      says: "holds texts, numbers, flags and lists of texts",
      takes: [{ a: "x", b: 1, c: true, d: ["y"] }],
      refuses: [{ a: null }, { a: { b: 1 } }, { a: [1] }, null],
    }),
    exclusive: optional(flag),
  },
})

describeInput(listTeams, {
  smallest: {},
  becomes: { includeGone: false, page: 1, pageSize: 200 },
  fields: { includeGone: optional(flag), ...paging },
})

describeInput(getTeam, {
  smallest: { teamUuid: TEAM },
  becomes: { teamUuid: TEAM, messages: 20 },
  fields: { teamUuid: uuid, messages: page },
})

describeInput(writeToMember, {
  smallest: { teamUuid: TEAM, to: "bob", text: "Hurry." },
  fields: {
    teamUuid: uuid,
    to: line(200),
    text: { ...prose(20_000), takes: [" ", chars(20_000)], refuses: [...prose(20_000).refuses, ""] },
  },
})

describeInput(askShutdown, {
  smallest: { teamUuid: TEAM, member: "bob" },
  fields: { teamUuid: uuid, member: line(200), reason: optional(prose(2000)) },
})

describe("an order to a team", () => {
  it.each([writeToMember, askShutdown])("$name comes from a person only", ({ needs, tool }) =>
    expect([needs, tool]).toEqual(["person", "none"]),
  )
})

describeAnswer(
  "TerminalRow",
  TerminalRow,
  { ...statusRow, uuid: OTHER, machineUuid: OTHER, machine: "laptop", owner: ada, updatedAt: AT },
  {
    mayBeNull: ["title", "detail", "summary", "exitCode", "resumeCommand", "reason", "ask", "asks", "folder"],
  },
)

describeAnswer(
  "MachineRow",
  MachineRow,
  {
    uuid: OTHER,
    name: "laptop",
    agent: builder,
    lastSeenAt: AT,
    terminals: 2,
    inventory: { machine: "laptop", takenAt: AT, marketplaces: [], plugins: [] },
    inventoryAt: AT,
    deviations: [{ id: "lint@house", kind: "wrong_version", expected: "1.0.0", actual: "0.9.0" }],
  },
  { mayBeNull: ["inventory", "inventoryAt"] },
)

describeAnswer(
  "KnownPlugin",
  KnownPlugin,
  {
    id: "lint@house",
    version: "1.0.0",
    description: "Lints.",
    contentHash: "c",
    surfaceHash: "s",
    surface: [{ kind: "hook", where: "hooks.json", does: "runs lint" }],
    unseen: 3,
    problem: "It could not be read.",
    source: { source: "github", repo: "a/b" },
    installedOn: ["laptop"],
    offeredOn: [],
    approved: true,
  },
  { mayBeLeftOut: ["version", "description", "contentHash", "surfaceHash", "surface", "unseen", "problem", "source"] },
)

describeAnswer("of chorus_report_machine", reportMachine.output, { machineUuid: OTHER })

const memberRow: TeamMemberRow = {
  name: "bob",
  state: "idle",
  lead: false,
  agentType: "general",
  model: "opus",
  color: "blue",
  leftAt: AT,
  lastLine: "Bash: npm test",
  lastAt: AT,
  costUsd: 0.25,
  tokens: 1200,
  branch: "chorus/garden-bob-1a2b3c4d",
}
const messageRow: TeamMessageRow = {
  id: "m1",
  from: "bob",
  to: "team-lead",
  kind: "text",
  text: "Done.",
  summary: "done",
  sentAt: AT,
}
const teamRow: TeamRow = {
  uuid: TEAM,
  name: "cats",
  machineUuid: OTHER,
  machine: "laptop",
  era: "named",
  description: "of cats",
  ledByChorus: false,
  createdAt: AT,
  lastFactAt: AT,
  goneAt: AT,
}

describeAnswer("TeamMemberRow", TeamMemberRow, memberRow, {
  mayBeNull: ["agentType", "model", "color", "leftAt", "lastLine", "lastAt", "costUsd", "tokens", "branch"],
})

describeAnswer("TeamMessageRow", TeamMessageRow, messageRow, { mayBeNull: ["summary"] })

describeAnswer("TeamRow", TeamRow, teamRow, { mayBeNull: ["description", "goneAt"] })

describeAnswer(
  "of chorus_get_team",
  getTeam.output,
  {
    ...teamRow,
    members: [memberRow],
    messages: [messageRow],
    tasks: [
      {
        task: { id: "1", subject: "Fit", description: "", status: "pending", blocks: [], blockedBy: [], extra: "kept" },
        taskUuids: [TASK],
      },
    ],
    orders: [
      { uuid: OTHER, what: "message", by: "Ada", to: "bob", createdAt: AT, deliveredAt: null, error: null, next: null },
    ],
  },
  { mayBeNull: ["description", "goneAt"] },
)
