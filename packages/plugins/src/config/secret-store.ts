import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { isObject, isStringMap } from "../read/json.ts"
import type { ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section } from "../state/json-file.ts"

/** Secrets of a plugin, kept away from settings. */
export interface SecretStore {
  readonly read: (id: string) => Record<string, string>
  readonly change: (id: string, values: Readonly<Record<string, string | undefined>>) => Promise<void>
}

/** The keychain where the system has one that Claude Code uses too, otherwise `.credentials.json`, readable by its owner alone. */
export function secretStore(home: ClaudeHome, env: NodeJS.ProcessEnv = process.env): SecretStore {
  return process.platform === "darwin" && env["CHORUS_SECRETS"] !== "file" ? keychain() : credentialsFile(home)
}

function credentialsFile(home: ClaudeHome): SecretStore {
  const path = join(home.config, ".credentials.json")
  return {
    read(id) {
      const secrets = readJsonFile(path)["pluginSecrets"]
      const mine = isObject(secrets) ? secrets[id] : undefined
      return isStringMap(mine) ? { ...mine } : {}
    },
    async change(id, values) {
      await changeJsonFile(
        path,
        (content) => {
          const secrets = section(content, "pluginSecrets")
          const mine = section(secrets, id)
          for (const [key, value] of Object.entries(values)) {
            if (value === undefined) delete mine[key]
            else mine[key] = value
          }
          if (Object.keys(mine).length === 0) delete secrets[id]
          if (Object.keys(secrets).length === 0) delete content["pluginSecrets"]
        },
        { mode: 0o600 },
      )
    },
  }
}

const SERVICE = "Claude Code-credentials"

/** The macOS keychain entry Claude Code keeps as one JSON document. The secret goes through standard input, never through arguments. */
function keychain(): SecretStore {
  const account = process.env["USER"] ?? "user"
  const readAll = (): Record<string, unknown> => {
    try {
      const value = JSON.parse(execFileSync("security", ["find-generic-password", "-a", account, "-s", SERVICE, "-w"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })) as unknown
      return isObject(value) ? { ...value } : {}
    } catch {
      return {}
    }
  }
  return {
    read(id) {
      const secrets = readAll()["pluginSecrets"]
      const mine = isObject(secrets) ? secrets[id] : undefined
      return isStringMap(mine) ? { ...mine } : {}
    },
    change(id, values) {
      const content = readAll()
      const secrets = section(content, "pluginSecrets")
      const mine = section(secrets, id)
      for (const [key, value] of Object.entries(values)) {
        if (value === undefined) delete mine[key]
        else mine[key] = value
      }
      const hex = Buffer.from(JSON.stringify(content)).toString("hex")
      execFileSync("security", ["-i"], { input: `add-generic-password -U -a "${account}" -s "${SERVICE}" -X "${hex}"\n`, stdio: ["pipe", "ignore", "ignore"] })
      return Promise.resolve()
    },
  }
}
