import { hostReach } from "@chorus/core"
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
import { NotesOnly, type FindingFile, type Report } from "./report.ts"

const REMOTE = new Set(["http", "streamable-http", "sse", "ws"])
const CREDENTIAL_VALUE = /^(sk-|gh[pousr]_|github_pat_|xox[abposr]-|AKIA|AIza|npm_|glpat-)/
const CREDENTIAL_HEADER = /^(authorization|proxy-authorization|cookie|.*(api[-_]?key|token|secret|password).*)$/i

export interface OptionKeys {
  /** Options any server may use, and those only one server may (declared by its channel). Undefined when it is not known what is declared. */
  readonly shared: ReadonlySet<string>
  readonly byServer: ReadonlyMap<string, ReadonlySet<string>>
}

/** The servers in an MCP file: wrapped in `mcpServers` or, as many plugins do, the bare map. */
export function serversIn(value: unknown): { servers: JsonObject; path: JsonPath } | undefined {
  if (!isObject(value)) return undefined
  const wrapped = own(value, "mcpServers")
  if (isObject(wrapped)) return { servers: wrapped, path: ["mcpServers"] }
  if (Array.isArray(wrapped)) return { servers: {}, path: ["mcpServers"] }
  return { servers: value, path: [] }
}

export function checkMcpFile(report: Report, name: string, text: string, options: OptionKeys): void {
  const file = { file: name, text }
  const { value, fault } = parseJson(text, { bom: "refuse" })
  if (fault !== undefined)
    return report.error(file, {
      code: "json_invalid",
      path: ["json"],
      offset: 0,
      message: `Not valid JSON: ${fault}. None of its servers load.`,
      fix: text.startsWith("\uFEFF") ? "Save the file without a byte order mark." : undefined,
    })
  const found = serversIn(value)
  if (found === undefined)
    return report[Array.isArray(value) ? "note" : "error"](file, {
      code: "mcp_not_object",
      path: ["root"],
      message: `The file maps names to servers; got ${typeName(value)}, so none load.`,
    })
  checkServers(report, file, found.path, found.servers, options)
}

/** Without `options` the servers stand in a marketplace entry, of which the real program checks the shape alone. */
export function checkServers(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  servers: JsonObject,
  options: OptionKeys | undefined,
): void {
  for (const [name, server] of Object.entries(servers)) {
    const at = [...path, name]
    const fault = serverFault(server)
    if (fault !== undefined || !isObject(server)) {
      const level =
        options === undefined && fault?.path?.[0] === "url" && isObject(server) && typeof server["url"] === "string"
          ? "note"
          : "error"
      report[level](file, {
        code: "mcp_server_invalid",
        path: [...at, ...(fault?.path ?? [])],
        message: `MCP server "${name}": ${fault?.message ?? ""}. It is dropped.`,
        fix: fault?.fix,
      })
      continue
    }
    if (options !== undefined) checkOptions(report, file, at, name, server, options)
    checkAddress(options === undefined ? new NotesOnly(report) : report, file, at, server)
    checkHeaders(options === undefined ? new NotesOnly(report) : report, file, at, server)
  }
}

interface ServerFault {
  readonly message: string
  readonly path?: JsonPath
  readonly fix?: string
}

/** Why a server cannot be loaded, or undefined when it can. */
export function serverFault(server: unknown): ServerFault | undefined {
  if (!isObject(server)) return { message: `must be an object; got ${typeName(server)}` }
  const type = own(server, "type")
  if (type === "sdk") return { message: "servers of type sdk belong to the host program", path: ["type"] }
  if (type !== undefined && type !== "stdio" && !(typeof type === "string" && REMOTE.has(type)))
    return { message: `unknown type ${JSON.stringify(type)}`, path: ["type"], fix: "Use stdio, http, sse or ws." }
  const kind = typeof type === "string" && REMOTE.has(type) ? remoteFault(server) : stdioFault(server)
  return kind ?? sharedFault(server)
}

function sharedFault(server: JsonObject): ServerFault | undefined {
  if (Object.hasOwn(server, "timeout") && typeof server["timeout"] !== "number")
    return { message: "timeout must be a number of milliseconds", path: ["timeout"] }
  if (Object.hasOwn(server, "alwaysLoad") && typeof server["alwaysLoad"] !== "boolean")
    return { message: "alwaysLoad must be true or false", path: ["alwaysLoad"] }
  return undefined
}

function stdioFault(server: JsonObject): ServerFault | undefined {
  const command = own(server, "command")
  if (typeof command !== "string" || command === "") {
    const fix = own(server, "url") === undefined ? 'Add "command".' : 'Add "type": "http" beside the url.'
    return { message: "needs a command to start", path: ["command"], fix }
  }
  const args = own(server, "args")
  if (args !== undefined && !isStringArray(args))
    return { message: `args must be a list of texts; got ${typeName(args)}`, path: ["args"] }
  const env = own(server, "env")
  if (env !== undefined && !isStringMap(env))
    return { message: "env must map names to texts", path: ["env"], fix: 'Put numbers in quotes: "8080".' }
  return undefined
}

function remoteFault(server: JsonObject): ServerFault | undefined {
  const url = own(server, "url")
  if (typeof url !== "string") return { message: "needs a url", path: ["url"] }
  // The real program passes an empty one: authors leave it for whoever sets the server up.
  if (url !== "" && !url.includes("${") && !URL.canParse(url))
    return { message: `${JSON.stringify(url)} is not a full URL`, path: ["url"], fix: "Write https://host/path." }
  const headers = own(server, "headers")
  if (headers !== undefined && !isStringMap(headers))
    return { message: "headers must map names to texts", path: ["headers"] }
  if (Object.hasOwn(server, "headersHelper") && typeof server["headersHelper"] !== "string")
    return { message: "headersHelper must be text", path: ["headersHelper"] }
  if (Object.hasOwn(server, "oauth") && !isObject(server["oauth"]))
    return { message: "oauth must be an object", path: ["oauth"] }
  return undefined
}

function checkOptions(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  name: string,
  server: JsonObject,
  options: OptionKeys,
): void {
  for (const [at, text] of textsIn(server, [])) {
    for (const match of text.matchAll(/\$\{user_config\.([^}]*)\}/g)) {
      const key = match[1] ?? ""
      if (at[0] === "headersHelper") {
        report.error(file, {
          code: "user_config_in_helper",
          path: [...path, ...at],
          message: "headersHelper is a shell command; a user option may not be put into it.",
        })
      } else if (!options.shared.has(key) && options.byServer.get(name)?.has(key) !== true) {
        report.error(file, {
          code: "user_config_undeclared",
          path: [...path, ...at],
          message: `\${user_config.${key}} is used, but userConfig declares no "${key}".`,
          fix: `Declare "${key}" under userConfig in plugin.json.`,
        })
      }
    }
  }
}

function checkAddress(report: Report, file: FindingFile, path: JsonPath, server: JsonObject): void {
  const url = own(server, "url")
  if (typeof url !== "string" || !URL.canParse(url)) return
  const { protocol, hostname } = new URL(url)
  if ((protocol === "http:" || protocol === "ws:") && hostReach(hostname) !== "loopback") {
    report.warning(file, {
      code: "mcp_cleartext",
      path: [...path, "url"],
      message: `${protocol}// to ${hostname} sends everything, credentials too, in the clear.`,
      fix: `Use ${protocol === "http:" ? "https" : "wss"}://.`,
    })
  }
}

function checkHeaders(report: Report, file: FindingFile, path: JsonPath, server: JsonObject): void {
  const headers = own(server, "headers")
  if (!isStringMap(headers)) return
  for (const [name, value] of Object.entries(headers)) {
    const secret = value.replace(/^(bearer|basic|token)\s+/i, "")
    if (
      (CREDENTIAL_HEADER.test(name) || CREDENTIAL_VALUE.test(secret)) &&
      !value.includes("$") &&
      secret.length >= 16 &&
      /^[\w.+/=~-]+$/.test(secret)
    ) {
      report.warning(file, {
        code: "mcp_literal_credential",
        path: [...path, "headers", name],
        message: "The header looks like a real credential; everyone who installs the plugin can read it.",
        fix: "Use ${user_config.KEY} with a sensitive option.",
      })
    }
  }
}

function* textsIn(value: unknown, path: JsonPath): Generator<[JsonPath, string]> {
  if (typeof value === "string") yield [path, value]
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index])
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key])
}
