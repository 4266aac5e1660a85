export { initPlugin, PARTS, type NewPlugin, type Part } from "./author/new-plugin.ts"
export { tagRelease, type TagRequest } from "./author/release-tag.ts"
export { type Configuration, configure, readConfiguration, secretStore, type SecretStore } from "./config/configure.ts"
export { optionValue, type OptionValue, type PluginOption } from "./config/option.ts"
export { pluginContext, type PluginContext } from "./context.ts"
export { contentHash, networkPolicy, type NetworkPolicy, type Progress } from "./fetch/index.ts"
export { auditPlugins, type AuditFinding } from "./govern/audit.ts"
export { bindClaudeCode, type Binding } from "./govern/bind.ts"
export { acceptDigests, type AskConsent, type ConsentQuestion } from "./govern/consent.ts"
export { lockPath, readPins } from "./govern/lock-file.ts"
export type { FileChange } from "./govern/file-change.ts"
export { loadableFiles } from "./govern/loadable.ts"
export { readPolicy, type Policy } from "./govern/policy.ts"
export { executableSurface } from "./govern/surface.ts"
export { agreeTo, setPinned, trustPlugin } from "./govern/trust.ts"
export { findInstalled, installationsHere, installedOptions, notInstalled, recordsHere } from "./install/installed.ts"
export { checkLock, inLockedProject, type LockFinding } from "./install/lock-check.ts"
export { addLockedMarketplaces, agreeToWithdrawn, restoreMarketplace } from "./install/locked.ts"
export { installPlugin, type InstallResult } from "./install/install.ts"
export { leavePlugins } from "./install/leave.ts"
export { previewPlugin } from "./install/preview.ts"
export { disableAll, disablePlugin, enablePlugin, type Switched } from "./install/switch.ts"
export {
  type AvailableUpdate,
  checkUpdates,
  prunePlugins,
  type Uninstalled,
  uninstallPlugin,
  type Updated,
  updatePlugin,
} from "./install/change.ts"
export { contributionOf, type Contribution } from "./load/contribution.ts"
export { installedNext } from "./load/assemble.ts"
export { loadPlugins, type LoadResult } from "./load/load.ts"
export type { LoadedPlugin, LoadMessage } from "./load/loaded.ts"
export { machineInventory, marketplaceOffers } from "./load/machine-inventory.ts"
export { fetchedVersion } from "./marketplace/materialise.ts"
export { addMarketplace, openAllMarketplaces, updateMarketplace } from "./marketplace/registry.ts"
export {
  applyWithdrawals,
  checkAtStart,
  listMarketplaces,
  lookForUpdates,
  removeMarketplace,
  type StartCheck,
} from "./marketplace/withdrawal.ts"
export { describeSource, parseMarketplaceSource } from "./marketplace/source.ts"
export { type Inventory, type Plugin, readInventory, readPlugin } from "./read/index.ts"
export { claudeHome, type ClaudeHome, dataSize, readInstalled, readKnown } from "./state/index.ts"
export { syncPlugins, type SyncResult } from "./sync.ts"
export { checkCodexFolder, CODEX_MARKETPLACE } from "./translate/codex.ts"
export type { TranslationReport } from "./translate/report.ts"
export {
  isTranslatable,
  settleTranslations,
  type Translatable,
  translate,
  type TranslationChange,
  writeTranslation,
} from "./translate/translations.ts"
export { remarksOnOffered } from "./validate/offered.ts"
export { validatePath } from "./validate/validate.ts"
