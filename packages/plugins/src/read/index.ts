export {
  errorCode,
  isObject,
  isStringArray,
  isStringMap,
  type JsonObject,
  kindInside,
  listFolders,
  own,
  parseJson,
  readText,
} from "./files.ts"
export { collectHooks } from "./hooks.ts"
export { type FilePart, type Inventory, readInventory } from "./inventory.ts"
export {
  followRename,
  MANIFEST_FILE,
  objectField,
  type Plugin,
  readPlugin,
  sourceFolder,
  stringField,
} from "./plugin.ts"
export { readServers } from "./servers.ts"
