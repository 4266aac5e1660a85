import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { objectField } from "../read/catalogue.ts"
import { isObject, isStringMap, own, type JsonObject } from "../read/json.ts"
import type { ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section, type MutableJson } from "../state/json-file.ts"

/** Secrets of a plugin, kept away from settings. An owner is a plugin's id, or `<id>/<server>` for a bundle inside it. */
export interface SecretStore {
  readonly read: (owner: string) => Record<string, string>
  /** Those that keep something for a plugin. */
  readonly owners: (id: string) => string[]
  readonly change: (owner: string, values: Readonly<Record<string, string | undefined>>) => Promise<void>
}

/** The keychain where the system has one that Claude Code uses too, otherwise `.credentials.json`, readable by its owner alone. */
export function secretStore(home: ClaudeHome, env: NodeJS.ProcessEnv = process.env): SecretStore {
  return process.platform === "darwin" && env["CHORUS_SECRETS"] !== "file" ? keychain() : credentialsFile(home)
}

function credentialsFile(home: ClaudeHome): SecretStore {
  const path = join(home.config, ".credentials.json")
  return {
    read: (owner) => secretsIn(readJsonFile(path), owner),
    owners: (id) => ownersIn(readJsonFile(path), id),
    change: (owner, values) =>
      changeJsonFile(home, path, (content) => changeIn(content, owner, values), { mode: 0o600 }),
  }
}

const SERVICE = "Claude Code-credentials"

/** The macOS keychain entry Claude Code keeps as one JSON document. The secret goes through standard input, never through arguments. */
function keychain(): SecretStore {
  const account = process.env["USER"] ?? "user"
  const readAll = (): Record<string, unknown> => {
    try {
      const value = JSON.parse(
        execFileSync("security", ["find-generic-password", "-a", account, "-s", SERVICE, "-w"], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      ) as unknown
      return isObject(value) ? { ...value } : {}
    } catch {
      return {}
    }
  }
  return {
    read: (owner) => secretsIn(readAll(), owner),
    owners: (id) => ownersIn(readAll(), id),
    change(owner, values) {
      const content = readAll()
      changeIn(content, owner, values)
      const hex = Buffer.from(JSON.stringify(content)).toString("hex")
      execFileSync("security", ["-i"], {
        input: `add-generic-password -U -a "${account}" -s "${SERVICE}" -X "${hex}"\n`,
        stdio: ["pipe", "ignore", "ignore"],
      })
      return Promise.resolve()
    },
  }
}

function secretsIn(content: JsonObject, owner: string): Record<string, string> {
  const mine = own(objectField(content, "pluginSecrets"), owner)
  return isStringMap(mine) ? { ...mine } : {}
}

function ownersIn(content: JsonObject, id: string): string[] {
  return Object.keys(objectField(content, "pluginSecrets")).filter(
    (owner) => owner === id || owner.startsWith(`${id}/`),
  )
}

function changeIn(content: MutableJson, owner: string, values: Readonly<Record<string, string | undefined>>): void {
  const secrets = section(content, "pluginSecrets")
  const mine = section(secrets, owner)
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) delete mine[key]
    else mine[key] = value
  }
  if (Object.keys(mine).length === 0) delete secrets[owner]
  if (Object.keys(secrets).length === 0) delete content["pluginSecrets"]
}
