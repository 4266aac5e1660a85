import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { AT, PAGE, PAGED } from "../../test/examples.ts"
import {
  type FieldRule,
  flag,
  line,
  nullable,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  AgentRow,
  createAgent,
  createKey,
  KeyRow,
  listAgents,
  listKeys,
  revokeKey,
  rotateKey,
  updateAgent,
} from "./agents.ts"

const AGENT = TASK
const KEY = OTHER
const presets: FieldRule = {
  says: "is a list of presets",
  takes: [[], ["developer", "pm", "admin"]],
  refuses: [["owner"], ["Developer"], "developer", null],
}
const permissions: FieldRule = {
  says: "is a list of permissions",
  takes: [[], ["task:read", "project:admin"]],
  refuses: [["task"], ["task:*"], ["workspace:read"], "task:read", null],
}
const everyProject = nullable({ says: "is a list of projects", takes: [[], [PROJECT]], refuses: [["all"], PROJECT] })

const fields = {
  persona: optional(nullable(prose(4000))),
  systemPrompt: optional(nullable(prose(20_000))),
  presets: optional(presets),
  permissions: optional(permissions),
  projectUuids: optional(everyProject),
}

const agentRow: AgentRow = {
  uuid: AGENT,
  name: "Builder",
  persona: "careful",
  systemPrompt: "Measure twice.",
  ownerUuid: OTHER,
  presets: ["developer"],
  permissions: ["idea:write"],
  projectUuids: [PROJECT],
  lastActiveAt: AT,
  createdAt: AT,
  archivedAt: AT,
}
const keyRow: KeyRow = {
  uuid: KEY,
  agentUuid: AGENT,
  name: "laptop",
  prefix: "cho_ab12",
  createdAt: AT,
  expiresAt: AT,
  lastUsedAt: AT,
  revokedAt: AT,
}
const NULLS_OF_A_KEY = ["expiresAt", "lastUsedAt", "revokedAt"]

describeInput(createAgent, { smallest: { name: "Builder" }, fields: { name: line(80), ...fields } })

describeInput(updateAgent, {
  smallest: { agentUuid: AGENT },
  fields: { agentUuid: uuid, name: optional(line(80)), ownerUuid: optional(uuid), archived: optional(flag), ...fields },
})

describe("changing an agent", () => {
  it("tells every project, which is null, from the same projects as before", () => {
    expect(updateAgent.input.parse({ agentUuid: AGENT, projectUuids: null })).toEqual({
      agentUuid: AGENT,
      projectUuids: null,
    })
    expect(updateAgent.input.parse({ agentUuid: AGENT })).toEqual({ agentUuid: AGENT })
  })

  it("and its keys takes a person: no agent gives itself more", () => {
    expect(
      new Set([createAgent, updateAgent, createKey, listKeys, revokeKey, rotateKey].map(({ needs }) => needs)),
    ).toEqual(new Set(["person"]))
  })
})

describeInput(listAgents, {
  smallest: {},
  becomes: { ...PAGE, includeArchived: false },
  fields: { includeArchived: optional(flag), ...paging },
})

describeInput(createKey, {
  smallest: { agentUuid: AGENT },
  becomes: { agentUuid: AGENT, name: "default" },
  fields: { agentUuid: uuid, name: optional(line(80)), expiresInDays: optional(whole(1, 3650)) },
})

describeInput(listKeys, { smallest: {}, becomes: PAGE, fields: { agentUuid: optional(uuid), ...paging } })

describeInput(revokeKey, { smallest: { keyUuid: KEY }, fields: { keyUuid: uuid } })

describeInput(rotateKey, {
  smallest: { keyUuid: KEY },
  becomes: { keyUuid: KEY, graceMinutes: 0 },
  fields: { keyUuid: uuid, graceMinutes: optional(whole(0, 10_080)) },
})

describeAnswer("AgentRow", AgentRow, agentRow, {
  mayBeNull: ["persona", "systemPrompt", "ownerUuid", "projectUuids", "lastActiveAt", "archivedAt"],
})

describeAnswer("KeyRow", KeyRow, keyRow, { mayBeNull: NULLS_OF_A_KEY })

describeAnswer("of chorus_list_agents", listAgents.output, { agents: [agentRow], ...PAGED })

describeAnswer("of chorus_create_key", createKey.output, { ...keyRow, key: "cho_ab12…" }, { mayBeNull: NULLS_OF_A_KEY })

describe("a key itself", () => {
  it("is told by making and by replacing it, and by nothing else", () => {
    const told = { ...keyRow, key: "cho_secret", hash: "sha" }
    expect(rotateKey.output.parse(told)).toEqual({ ...keyRow, key: "cho_secret" })
    expect(revokeKey.output.parse(told)).toEqual(keyRow)
    expect(listKeys.output.parse({ keys: [told], ...PAGED }).keys).toEqual([keyRow])
  })
})
