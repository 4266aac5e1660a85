import { mkdirSync, readdirSync, rmdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { loadPlugins } from "../load/load.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import {
  changeJsonFile,
  type ClaudeHome,
  enabledIn,
  managedFolder,
  readInstalled,
  readJsonFile,
} from "../state/index.ts"
import { listDenial, type Policy, readPolicy } from "./policy.ts"

/** Read after the administrator's own files, so that what a list denies stays denied. */
const FILE = "90-chorus.json"

/** What is to be written, and where. */
export interface Binding {
  readonly file: string
  readonly denied: readonly string[]
  /** What the file denied until now. */
  readonly released: readonly string[]
  /** What only the person's own lists deny, which bind nobody else unless they say so. */
  readonly leftOut: readonly string[]
}

/**
 * Writes what the administrator's lists of plugins deny as managed settings, which Claude Code obeys for everybody on
 * this machine: what they name in full, and of the rest what is installed, on offer or among the skills here. Lists of
 * the person's own count when they say so, those of a project never. What is no longer denied is released. Nothing is
 * written before `agree` saw it.
 */
export async function bindClaudeCode(
  context: PluginContext,
  agree: (binding: Binding) => Promise<boolean> | boolean,
  { own = false }: { own?: boolean | undefined } = {},
): Promise<Binding & { written: boolean }> {
  const { home } = context
  const file = join(managedFolder(home.managedSettings), FILE)
  const known = await knownPlugins(context)
  const denied = deniedBy(readPolicy(home, { own, project: false }), known)
  const before = [...enabledIn(readJsonFile(file)).keys()]
  const binding: Binding = {
    file,
    denied,
    released: before.filter((id) => !denied.includes(id)),
    leftOut: deniedBy(readPolicy(home, { own: true, project: false }), known).filter((id) => !denied.includes(id)),
  }
  const isNew = binding.released.length > 0 || denied.some((id) => !before.includes(id))
  if (!isNew || !(await agree(binding))) return { ...binding, written: false }
  await write(home, file, denied)
  return { ...binding, written: true }
}

async function knownPlugins(context: PluginContext): Promise<string[]> {
  const offered = [...openAllMarketplaces(context).catalogues].flatMap(([name, { entries }]) =>
    [...entries.keys()].map((entry) => `${entry}@${name}`),
  )
  const here = (await loadPlugins(context)).plugins.map(({ id }) => id)
  return [...here, ...readInstalled(context.home).keys(), ...offered]
}

function deniedBy(policy: Policy, known: readonly string[]): string[] {
  const named = policy.deniedPlugins.filter((rule) => /^[^*@]+@[^@]+$/.test(rule))
  return [...new Set([...named, ...known])].filter((id) => listDenial(policy, id) !== undefined).sort()
}

async function write(home: ClaudeHome, file: string, denied: readonly string[]): Promise<void> {
  const folder = dirname(file)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    await changeJsonFile(
      home,
      file,
      (content) => {
        if (denied.length === 0) delete content["enabledPlugins"]
        else content["enabledPlugins"] = Object.fromEntries(denied.map((id) => [id, false]))
      },
      { mode: 0o644, dropEmpty: true },
    )
    // A folder of the administrator's, even an empty one, counts as rules of an organisation.
    if (readdirSync(folder).length === 0) rmdirSync(folder)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && ["EACCES", "EPERM", "EROFS"].includes(String(cause.code))))
      throw cause
    throw new ChorusError("not_permitted", `Only an administrator may write ${file}.`, {
      status: 403,
      next: "Run it as an administrator: sudo --preserve-env=HOME chorus plugin bind.",
      cause,
    })
  }
}
