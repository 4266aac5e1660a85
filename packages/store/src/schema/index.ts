import type { Kysely } from "kysely"
import type {
  ChangeCommentsTable,
  ChangeLooksTable,
  ChangePartsTable,
  ChangeThreadsTable,
  ChangeVersionsTable,
  ChangeViewsTable,
} from "./change-tables.ts"
import type {
  CommentsTable,
  MentionsTable,
  NotificationPreferencesTable,
  NotificationsTable,
  ProjectVisitsTable,
  SearchEntriesTable,
  WebhooksTable,
} from "./conversation-tables.ts"
import type { BridgesTable, DeliveriesTable } from "./delivery-tables.ts"
import type { ImportedItemsTable, LabelsTable, ViewsTable } from "./item-tables.ts"
import type {
  CuratedSetsTable,
  MachinesTable,
  TeamMembersTable,
  TeamMessagesTable,
  TeamsTable,
  TeamTasksTable,
  TerminalsTable,
} from "./machines-tables.ts"
import type {
  AttachmentFilesTable,
  DocumentDraftsTable,
  DocumentsTable,
  DraftVersionsTable,
  ElaborationAnswersTable,
  ElaborationQuestionsTable,
  ElaborationRoundsTable,
  FindingsTable,
  IdeaStandingsTable,
  IdeasTable,
  ProposalInputsTable,
  ProposalRevisionsTable,
  ProposalsTable,
  ReferenceLinksTable,
  ReviewsTable,
  TaskDraftsTable,
  TextVersionsTable,
} from "./planning-tables.ts"
import type { ChannelsTable, PersonPresenceTable, PushSubscriptionsTable } from "./push-tables.ts"
import type {
  ChecksTable,
  LandingsTable,
  PullRequestsTable,
  RunEntriesTable,
  RunnersTable,
  RunRulesTable,
  RunsTable,
} from "./run-tables.ts"
import type { ClocksTable, SharedSecretsTable, SignInAttemptsTable } from "./sharing-tables.ts"
import type {
  AttentionsTable,
  CheckinsTable,
  CriteriaTable,
  CriterionVerdictsTable,
  HandInsTable,
  ReservationsTable,
  SessionsTable,
  TaskEdgesTable,
  TasksTable,
  UsagesTable,
  WorkReportsTable,
} from "./work-tables.ts"
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
  migrations: MigrationsTable
  ideas: IdeasTable
  ideaStandings: IdeaStandingsTable
  elaborationRounds: ElaborationRoundsTable
  elaborationQuestions: ElaborationQuestionsTable
  elaborationAnswers: ElaborationAnswersTable
  proposals: ProposalsTable
  documents: DocumentsTable
  textVersions: TextVersionsTable
  proposalInputs: ProposalInputsTable
  documentDrafts: DocumentDraftsTable
  taskDrafts: TaskDraftsTable
  draftVersions: DraftVersionsTable
  proposalRevisions: ProposalRevisionsTable
  referenceLinks: ReferenceLinksTable
  attachmentFiles: AttachmentFilesTable
  reviews: ReviewsTable
  findings: FindingsTable
  tasks: TasksTable
  taskEdges: TaskEdgesTable
  criteria: CriteriaTable
  criterionVerdicts: CriterionVerdictsTable
  handIns: HandInsTable
  sessions: SessionsTable
  checkins: CheckinsTable
  workReports: WorkReportsTable
  reservations: ReservationsTable
  attentions: AttentionsTable
  usages: UsagesTable
  comments: CommentsTable
  mentions: MentionsTable
  notifications: NotificationsTable
  notificationPreferences: NotificationPreferencesTable
  projectVisits: ProjectVisitsTable
  searchEntries: SearchEntriesTable
  webhooks: WebhooksTable
  bridges: BridgesTable
  deliveries: DeliveriesTable
  machines: MachinesTable
  terminals: TerminalsTable
  teams: TeamsTable
  teamMembers: TeamMembersTable
  teamMessages: TeamMessagesTable
  teamTasks: TeamTasksTable
  runners: RunnersTable
  runs: RunsTable
  runEntries: RunEntriesTable
  landings: LandingsTable
  pullRequests: PullRequestsTable
  checks: ChecksTable
  changeVersions: ChangeVersionsTable
  changeParts: ChangePartsTable
  changeThreads: ChangeThreadsTable
  changeComments: ChangeCommentsTable
  changeLooks: ChangeLooksTable
  changeViews: ChangeViewsTable
  runRules: RunRulesTable
  curatedSets: CuratedSetsTable
  pushSubscriptions: PushSubscriptionsTable
  channels: ChannelsTable
  personPresence: PersonPresenceTable
  sharedSecrets: SharedSecretsTable
  signInAttempts: SignInAttemptsTable
  labels: LabelsTable
  importedItems: ImportedItemsTable
  views: ViewsTable
  clocks: ClocksTable
}

/** A handle for queries: committed data when reading, the open transaction when writing. */
export type Db = Kysely<Schema>
