import { realpathSync } from "node:fs"
import { homedir, hostname } from "node:os"
import { isAbsolute, join, relative, sep } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { repositoryOf } from "@chorus/changes"
import { ChorusError, type FolderWish, RunnerPolicy } from "@chorus/contracts"
import { adaptersWanted, changePolicy, readPolicy, withFolder, withoutFolder } from "@chorus/runs"
import type { OwnMachine } from "@chorus/server"
import { adaptersIn } from "./service.ts"
import { fetchAdapters } from "./setup-command.ts"

/** The policy of the machine this server runs on, as its owner changes it on the page. */
export function ownMachine(data: string): OwnMachine {
  const wanted = () => adaptersWanted({ path: process.env["PATH"] ?? "", fetched: adaptersIn() })
  const allowing = async (policy: RunnerPolicy, { folder, project, checks, land }: FolderWish) => {
    const next = await withFolder(policy, data, whole(folder), project === undefined ? {} : { project })
    return { ...next, checks: next.checks || checks, land: next.land || land }
  }
  return {
    name: hostname(),
    async suggested() {
      // npm goes to the root of a package; who typed the command may stand elsewhere.
      const folder = process.env["INIT_CWD"] ?? process.cwd()
      const policy = await allowing(RunnerPolicy.parse({}), { folder, checks: false, land: false }).catch(
        () => undefined,
      )
      const path = policy?.folders[0]?.path
      return path === undefined || holdsChorus(path) ? undefined : path
    },
    async look(wish) {
      const policy = await allowing(readPolicy(data) ?? RunnerPolicy.parse({}), wish)
      return { path: await repositoryOf(whole(wish.folder)), policy, adapters: wanted() }
    },
    async allow({ shown, fetch, ...wish }) {
      await changePolicy(data, async (before) => {
        const next = await allowing(before, wish)
        if (!isDeepStrictEqual(next, shown)) throw changedMeanwhile()
        const adapters = wanted().flatMap(({ adapter }) => (fetch.includes(adapter) ? [adapter] : []))
        if (adapters.length > 0) await fetchAdapters(adapters)
        return next
      })
    },
    async disallow({ folder, project }) {
      await changePolicy(data, (before) => withoutFolder(before, whole(folder), project))
    },
  }
}

/**
 * Whether Chorus itself runs from this checkout: who starts it there has their work elsewhere. Where it is only installed,
 * that is no clone of it.
 */
function holdsChorus(repository: string): boolean {
  const way = relative(repository, realpathSync(import.meta.dirname)).split(sep)
  return way[0] !== ".." && !isAbsolute(way.join(sep)) && !way.includes("node_modules")
}

/** A server has no folder that a person at its page would be in. */
function whole(folder: string): string {
  const path = folder.replace(/^~(?=$|\/)/, homedir())
  if (isAbsolute(path)) return join(path)
  throw new ChorusError("folder_refused", `${folder} is not a whole path.`, {
    next: "Give it from the root or from ~, as `pwd` prints it.",
  })
}

function changedMeanwhile(): ChorusError {
  return new ChorusError("policy_changed", "What this machine allows has changed since it was shown.", {
    status: 409,
    next: "Look at what it would allow now, then allow it.",
  })
}
