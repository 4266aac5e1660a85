import { anything, assert, dictionary, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { describeAnswer } from "../test/contract.ts"
import {
  TEAM_COLORS,
  TEAM_LEAD,
  TeamConfig,
  TeamEra,
  TeamInboxEntry,
  TeamLeadProcess,
  TeamMember,
  TeamPermissionMode,
  TeamTask,
  TeamTaskStatus,
} from "./teams-files.ts"

const member: TeamMember = {
  agentId: "bob@cats",
  name: "bob",
  agentType: "general-purpose",
  model: "opus",
  prompt: "Fit the door.",
  color: "blue",
  planModeRequired: true,
  joinedAt: 1_772_359_200_000,
  tmuxPaneId: "%1",
  cwd: "/home/ada/house",
  subscriptions: [],
  backendType: "tmux",
  isActive: false,
}

const config: TeamConfig = {
  name: "cats",
  description: "A house for cats",
  createdAt: 1_772_359_200_000,
  leadAgentId: "team-lead@cats",
  leadSessionId: "abc",
  leadProcess: { pid: 4711, pidSpace: "host", claimedAt: 1, procStart: "2" },
  members: [member],
}

const entry: TeamInboxEntry = {
  from: "bob",
  text: "Done.",
  timestamp: "2026-03-01T10:00:00.000Z",
  read: false,
  summary: "done",
  color: "blue",
  msgV: 1,
  msg_id: "m1",
  type: "message",
  lead_sig: "s",
}

const task: TeamTask = {
  id: "1",
  subject: "Fit",
  description: "the door",
  activeForm: "Fitting",
  owner: "bob",
  status: "in_progress",
  blocks: ["2"],
  blockedBy: [],
  metadata: { taskUuid: "t1" },
}

describeAnswer("TeamMember", TeamMember, member, {
  mayBeLeftOut: [
    "agentType",
    "model",
    "prompt",
    "color",
    "planModeRequired",
    "tmuxPaneId",
    "cwd",
    "subscriptions",
    "backendType",
    "isActive",
  ],
})

describeAnswer("TeamConfig", TeamConfig, config, { mayBeLeftOut: ["description", "leadSessionId", "leadProcess"] })

describeAnswer(
  "TeamLeadProcess",
  TeamLeadProcess,
  { pid: 4711, pidSpace: "host", claimedAt: 1, procStart: "2" },
  { mayBeLeftOut: ["pidSpace", "claimedAt", "procStart"] },
)

describeAnswer("TeamInboxEntry", TeamInboxEntry, entry, {
  mayBeLeftOut: ["read", "summary", "color", "msgV", "msg_id", "type", "lead_sig"],
})

describeAnswer("TeamTask", TeamTask, task, { mayBeLeftOut: ["activeForm", "owner", "metadata"] })

describe("a team's files", () => {
  const shapes = [
    ["a team", TeamConfig, config],
    ["a member", TeamMember, member],
    ["a message", TeamInboxEntry, entry],
    ["a task", TeamTask, task],
  ] as const

  it.each(shapes)("keep what others wrote into %s, whatever it is", (_, schema, example) => {
    const foreign = dictionary(
      string({ maxLength: 6 }).map((name) => `x-${name}`),
      anything({ maxDepth: 1 }),
      { maxKeys: 3 },
    )
    assert(
      property(foreign, (fields) => {
        expect(schema.parse({ ...example, ...fields })).toEqual({ ...example, ...fields })
      }),
      { numRuns: 40 },
    )
  })

  it("keep it at every depth", () => {
    const withMore = { ...config, leadProcess: { pid: 1, boot: "x" }, members: [{ ...member, mood: "good" }] }
    expect(TeamConfig.parse(withMore)).toEqual(withMore)
  })

  it("are not taken with a member that has no id", () => {
    const { agentId: _, ...nameless } = member
    expect(TeamConfig.safeParse({ ...config, members: [nameless] }).success).toBe(false)
  })
})

describe("the words of a team", () => {
  it("are eight colours, each different, in the order in which members get them", () => {
    expect(TEAM_COLORS).toEqual(["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"])
  })
  it("are the name of whoever leads it", () => expect(TEAM_LEAD).toBe("team-lead"))
  it("are four states of its tasks", () =>
    expect(TeamTaskStatus.options).toEqual(["pending", "in_progress", "completed", "deleted"]))
  it("are the two eras of the protocol", () => expect(TeamEra.options).toEqual(["named", "session"]))
  it("are six modes in which a member may work", () => {
    expect(TeamPermissionMode.options).toEqual([
      "default",
      "acceptEdits",
      "bypassPermissions",
      "plan",
      "dontAsk",
      "delegate",
    ])
  })
})
