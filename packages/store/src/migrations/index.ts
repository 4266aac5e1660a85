import { workspaceMigration } from "./0001-workspace.ts"
import { planningMigration } from "./0002-planning.ts"
import { workMigration } from "./0003-work.ts"
import { conversationMigration } from "./0004-conversation.ts"
import { searchMigration } from "./0005-search.ts"
import { machinesMigration } from "./0006-machines.ts"
import { sharingMigration } from "./0007-sharing.ts"
import { pushMigration } from "./0008-push.ts"
import { deliveriesMigration } from "./0009-deliveries.ts"
import { sessionOriginMigration } from "./0010-session-origin.ts"
import { reworkMigration } from "./0011-rework.ts"
import { questionsMigration } from "./0012-questions.ts"
import { shortIdsMigration } from "./0013-short-ids.ts"
import { runsMigration } from "./0014-runs.ts"
import { positionsMigration } from "./0015-positions.ts"
import { itemsMigration } from "./0016-items.ts"
import { changesMigration } from "./0017-changes.ts"
import { needsMigration } from "./0018-needs.ts"
import { runPolicyMigration } from "./0019-run-policy.ts"
import { importsMigration } from "./0020-imports.ts"
import { passagesMigration } from "./0021-passages.ts"
import { channelsMigration } from "./0022-channels.ts"
import { landingsMigration } from "./0023-landings.ts"
import { checksMigration } from "./0024-checks.ts"
import { teamProgressMigration } from "./0025-team-progress.ts"
import { sessionProcessMigration } from "./0026-session-process.ts"
import { agesMigration } from "./0027-ages.ts"
import { pullRequestsMigration } from "./0028-pull-requests.ts"
import { parentsMigration } from "./0029-parents.ts"
import { signsMigration } from "./0030-signs.ts"
import { outputsMigration } from "./0031-outputs.ts"
import { bridgesMigration } from "./0032-bridges.ts"
import { previewsMigration } from "./0033-previews.ts"
import { teamBranchesMigration } from "./0034-team-branches.ts"
import { lighterChangesMigration } from "./0035-lighter-changes.ts"
import { verdictWordsMigration } from "./0036-verdict-words.ts"
import { replacedLinksMigration } from "./0037-replaced-links.ts"
import { askedWordsMigration } from "./0038-asked-words.ts"
import { fewerPlansMigration } from "./0039-fewer-plans.ts"
import { runUsageMigration } from "./0040-run-usage.ts"
import { tidierMigration } from "./0041-tidier.ts"
import { importedStandingMigration } from "./0042-imported-standing.ts"
import { pagesMigration } from "./0043-pages.ts"
import { lighterWordsMigration } from "./0044-lighter-words.ts"
import { proposedMigration } from "./0045-proposed.ts"
import { looksMigration } from "./0046-looks.ts"
import type { Migration } from "./migration.ts"

/** In order of their ids. A released migration never changes. */
export const migrations: readonly Migration[] = [
  workspaceMigration,
  planningMigration,
  workMigration,
  conversationMigration,
  searchMigration,
  machinesMigration,
  sharingMigration,
  pushMigration,
  deliveriesMigration,
  sessionOriginMigration,
  reworkMigration,
  questionsMigration,
  shortIdsMigration,
  runsMigration,
  positionsMigration,
  itemsMigration,
  changesMigration,
  needsMigration,
  runPolicyMigration,
  importsMigration,
  passagesMigration,
  channelsMigration,
  landingsMigration,
  checksMigration,
  teamProgressMigration,
  sessionProcessMigration,
  agesMigration,
  pullRequestsMigration,
  parentsMigration,
  signsMigration,
  outputsMigration,
  bridgesMigration,
  previewsMigration,
  teamBranchesMigration,
  lighterChangesMigration,
  verdictWordsMigration,
  replacedLinksMigration,
  askedWordsMigration,
  fewerPlansMigration,
  runUsageMigration,
  tidierMigration,
  importedStandingMigration,
  pagesMigration,
  lighterWordsMigration,
  proposedMigration,
  looksMigration,
]

export const SCHEMA_VERSION = migrations.length
