import { existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { loadPlugins } from "../load/load.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { changeJsonFile, managedFolder, readInstalled } from "../state/index.ts"
import { listDenial, readPolicy } from "./policy.ts"

/** Read after the administrator's own files, so that what a list denies stays denied. */
const FILE = "90-chorus.json"

export interface Bound {
  readonly file: string
  readonly denied: readonly string[]
}

/**
 * Writes what the lists of plugins deny as managed settings, which Claude Code obeys: what they name in full, and of the rest what is
 * installed, on offer or among the skills here. What is no longer denied is released.
 */
export async function bindClaudeCode(context: PluginContext): Promise<Bound> {
  const { home } = context
  const policy = readPolicy(home)
  const offered = [...openAllMarketplaces(context).catalogues].flatMap(([name, { entries }]) =>
    [...entries.keys()].map((entry) => `${entry}@${name}`),
  )
  const named = policy.deniedPlugins.filter((rule) => /^[^*@]+@[^@]+$/.test(rule))
  const here = (await loadPlugins(context)).plugins.map(({ id }) => id)
  const known = new Set([...named, ...here, ...readInstalled(home).keys(), ...offered])
  const denied = [...known].filter((id) => listDenial(policy, id) !== undefined).sort()
  const file = join(managedFolder(home.managedSettings), FILE)
  if (denied.length === 0 && !existsSync(file)) return { file, denied }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    await changeJsonFile(
      home,
      file,
      (content) => {
        content["enabledPlugins"] = Object.fromEntries(denied.map((id) => [id, false]))
      },
      { mode: 0o644 },
    )
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && ["EACCES", "EPERM", "EROFS"].includes(String(cause.code))))
      throw cause
    throw new ChorusError("not_permitted", `Only an administrator may write ${file}.`, {
      status: 403,
      next: "Run it as an administrator: sudo --preserve-env=HOME chorus plugin bind.",
      cause,
    })
  }
  return { file, denied }
}
