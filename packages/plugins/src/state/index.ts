export {
  cacheFolder,
  type ClaudeHome,
  claudeHome,
  dataFolder,
  dataSize,
  foldedId,
  managedFolder,
  settingsPath,
  skillRoots,
} from "./claude-home.ts"
export { changeJsonFile, type MutableJson, readJsonFile, section } from "./json-file.ts"
export {
  appliesHere,
  changeInstalled,
  changeKnown,
  type Marketplace,
  moveInstalled,
  readInstalled,
  readKnown,
  setOrigin,
} from "./records.ts"
export {
  declaredMarketplaces,
  enabledIn,
  type Enablement,
  readEnablement,
  readSettings,
  SCOPES,
  setEnabled,
} from "./settings.ts"
