/** A computer on which agents run, as the companion there reports it. */
export interface MachinesTable {
  uuid: string
  agentUuid: string
  name: string
  inventory: string | null
  inventoryAt: string | null
  createdAt: string
  lastSeenAt: string
}

/** `row` is a StatusRow. */
export interface TerminalsTable {
  machineUuid: string
  terminalId: string
  row: string
  updatedAt: string
}

export interface TeamsTable {
  uuid: string
  machineUuid: string
  name: string
  era: string
  description: string | null
  ledByChorus: number
  createdAt: string
  lastFactAt: string
  goneAt: string | null
}

export interface TeamMembersTable {
  teamUuid: string
  name: string
  state: string
  lead: number
  agentType: string | null
  model: string | null
  color: string | null
  leftAt: string | null
  lastLine: string | null
  lastAt: string | null
  microUsd: number | null
  tokens: number | null
  branch: string | null
}

export interface TeamMessagesTable {
  teamUuid: string
  id: string
  sender: string
  recipient: string
  kind: string
  text: string
  summary: string | null
  sentAt: string
}

export interface TeamTasksTable {
  teamUuid: string
  taskId: string
  task: string
  links: string
}

export interface CuratedSetsTable {
  workspaceUuid: string
  revision: number
  body: string
  changedByUuid: string
  changedAt: string
}
