import type { Kysely } from "kysely"
import type {
  AgentsTable,
  ApiKeysTable,
  EventsTable,
  MigrationsTable,
  ProjectGroupsTable,
  ProjectsTable,
  ReceiptsTable,
  SignInLinksTable,
  SignInsTable,
  UsersTable,
  WorkspacesTable,
} from "./workspace-tables.ts"

export interface Schema {
  migrations: MigrationsTable
  workspaces: WorkspacesTable
  users: UsersTable
  signInLinks: SignInLinksTable
  signIns: SignInsTable
  agents: AgentsTable
  apiKeys: ApiKeysTable
  projectGroups: ProjectGroupsTable
  projects: ProjectsTable
  events: EventsTable
  receipts: ReceiptsTable
}

/** A handle for queries: committed data when reading, the open transaction when writing. */
export type Db = Kysely<Schema>
