import {
  isObject,
  isStringArray,
  isStringMap,
  type JsonObject,
  type JsonPath,
  own,
  parseJson,
  typeName,
} from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const KNOWN = new Set(
  "command extensionToLanguage args transport env initializationOptions settings workspaceFolder startupTimeout shutdownTimeout requestTimeout restartOnCrash maxRestarts diagnostics".split(
    " ",
  ),
)

interface LspFault {
  readonly message: string
  readonly path: JsonPath
}

/** Why a language server cannot be loaded, or undefined when it can. Unknown keys are faults: the real reader is strict here. */
export function lspFault(server: unknown): LspFault | undefined {
  if (!isObject(server)) return { message: `must be an object; got ${typeName(server)}`, path: [] }
  const unknown = Object.keys(server).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) return { message: `unknown key "${unknown}"`, path: [unknown] }
  for (const [key, fault] of fieldFaults(server))
    if (fault !== undefined) return { message: `${key} ${fault}`, path: [key] }
  return undefined
}

export function checkLspServers(report: Report, file: FindingFile, path: JsonPath, servers: JsonObject): void {
  for (const [name, server] of Object.entries(servers)) {
    const fault = lspFault(server)
    if (fault !== undefined)
      report.error(file, {
        code: "lsp_server_invalid",
        path: [...path, name, ...fault.path],
        message: `LSP server "${name}": ${fault.message}.`,
      })
  }
}

/** The real validator never opens LSP files; at load one bad entry drops the whole file. */
export function checkLspFile(report: Report, name: string, text: string): void {
  const file = { file: name, text }
  const { value, fault } = parseJson(text)
  if (fault !== undefined)
    return report.warning(file, {
      code: "lsp_file_invalid",
      path: ["json"],
      offset: 0,
      message: `Not valid JSON: ${fault}. No language server of it loads.`,
    })
  if (!isObject(value))
    return report.warning(file, {
      code: "lsp_file_invalid",
      path: [],
      message: `The file maps names to servers; got ${typeName(value)}.`,
    })
  for (const [server, config] of Object.entries(value)) {
    const broken = lspFault(config)
    if (broken !== undefined)
      report.warning(file, {
        code: "lsp_file_invalid",
        path: [server, ...broken.path],
        message: `LSP server "${server}": ${broken.message}. One bad server drops the whole file.`,
      })
  }
}

function* fieldFaults(server: JsonObject): Generator<[string, string | undefined]> {
  const command = own(server, "command")
  yield [
    "command",
    typeof command !== "string" || command === ""
      ? "is missing"
      : command.includes(" ") && !command.startsWith("/")
        ? "may not contain spaces; use args"
        : undefined,
  ]
  const languages = own(server, "extensionToLanguage")
  const extensions = isStringMap(languages) ? Object.keys(languages) : []
  yield [
    "extensionToLanguage",
    extensions.length === 0
      ? "must map at least one extension to a language"
      : extensions.every((ext) => ext.startsWith(".") && ext.length > 1) &&
          Object.values(languages ?? {}).every((language) => language !== "")
        ? undefined
        : "maps extensions that start with a dot to languages",
  ]
  yield ["args", optional(server, "args", isStringArray, "must be a list of texts")]
  yield [
    "transport",
    optional(server, "transport", (value) => value === "stdio" || value === "socket", "must be stdio or socket"),
  ]
  yield ["env", optional(server, "env", isStringMap, "must map names to texts")]
  yield ["workspaceFolder", optional(server, "workspaceFolder", (value) => typeof value === "string", "must be text")]
  for (const key of ["startupTimeout", "shutdownTimeout", "requestTimeout"])
    yield [
      key,
      optional(
        server,
        key,
        (value) => Number.isInteger(value) && Number(value) > 0,
        "must be a whole number of milliseconds above 0",
      ),
    ]
  yield [
    "maxRestarts",
    optional(
      server,
      "maxRestarts",
      (value) => Number.isInteger(value) && Number(value) >= 0,
      "must be a whole number, 0 or more",
    ),
  ]
  for (const key of ["restartOnCrash", "diagnostics"])
    yield [key, optional(server, key, (value) => typeof value === "boolean", "must be true or false")]
}

function optional(
  server: JsonObject,
  key: string,
  isRight: (value: unknown) => boolean,
  fault: string,
): string | undefined {
  const value = own(server, key)
  return value === undefined || isRight(value) ? undefined : fault
}
