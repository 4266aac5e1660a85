import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { repositoryOf } from "@chorus/changes"
import { ChorusError, RunnerPolicy } from "@chorus/contracts"
import { type Admission, admission, type WantedRun } from "@chorus/core"
import { readJson, replaceFile, withLock } from "@chorus/disk"
import { RUN_MARK } from "./processes.ts"

/** Where a machine's own word stands on what may run here. */
export function policyFile(data: string): string {
  return join(data, "runner", "policy.json")
}

/** Undefined while nobody has allowed anything: then nothing runs here. */
export function readPolicy(data: string): RunnerPolicy | undefined {
  const file = policyFile(data)
  if (!existsSync(file)) return undefined
  const told = RunnerPolicy.safeParse(readJson(file))
  if (told.success) return told.data
  throw new ChorusError("policy_unreadable", `${file} is not a policy: ${told.error.issues[0]?.message ?? ""}.`, {
    next: "Mend the file by hand, or take it away and allow the folders again.",
  })
}

/** Changes the policy. Only whoever sits at the machine may: no process of a run. */
export async function changePolicy(
  data: string,
  change: (policy: RunnerPolicy) => RunnerPolicy | Promise<RunnerPolicy>,
): Promise<RunnerPolicy> {
  if (process.env[RUN_MARK] !== undefined)
    throw new ChorusError("policy_not_yours", "An agent does not decide what may run on its machine.", {
      next: "Ask the person whose machine it is.",
    })
  const file = policyFile(data)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return withLock(file, { notes: join(dirname(file), "locks") }, async (held) => {
    const next = await change(readPolicy(data) ?? RunnerPolicy.parse({}))
    replaceFile(file, `${JSON.stringify(next, undefined, 2)}\n`, { held, mode: 0o600 })
    return next
  })
}

/** The policy with one more folder, which is the root of a repository and holds nothing of Chorus itself. */
export async function withFolder(
  policy: RunnerPolicy,
  data: string,
  folder: string,
  more: Omit<RunnerPolicy["folders"][number], "path">,
): Promise<RunnerPolicy> {
  const path = await repositoryOf(folder)
  const own = existsSync(data) ? realpathSync(data) : resolve(data)
  if (isWithin(own, path) || isWithin(path, own))
    throw new ChorusError("folder_refused", `${path} and ${own}, where Chorus keeps its data, lie in one another.`, {
      next: "Keep the data elsewhere with --data: an agent must not be able to change what this machine allows.",
    })
  const isSame = (one: RunnerPolicy["folders"][number]) => one.path === path && one.project === more.project
  const others = policy.folders.filter((one) => !isSame(one))
  return { ...policy, folders: [...others, { ...policy.folders.find(isSame), path, ...more }] }
}

/** The policy without a folder, as it is named there or on the disk. */
export function withoutFolder(policy: RunnerPolicy, folder: string, project: string | undefined): RunnerPolicy {
  const path = existsSync(folder) ? realpathSync(folder) : resolve(folder)
  const goes = (one: RunnerPolicy["folders"][number]) =>
    isWithin(path, one.path) && (project === undefined || one.project === project)
  const folders = policy.folders.filter((one) => !goes(one))
  // Who takes back the last folder does not find the programs of then allowed when they allow another.
  if (folders.length === 0 && policy.folders.length > 0) return { ...policy, folders, commands: [] }
  if (folders.length < policy.folders.length) return { ...policy, folders }
  throw new ChorusError(
    "folder_unknown",
    `${path} is not allowed here${project === undefined ? "" : ` for ${project}`}.`,
    {
      status: 404,
      next: "`chorus runner policy` shows what is.",
    },
  )
}

/** The policy without some programs that are started word for word. */
export function withoutCommands(policy: RunnerPolicy, commands: readonly string[]): RunnerPolicy {
  const unknown = commands.find((command) => !policy.commands.includes(command))
  if (unknown === undefined)
    return { ...policy, commands: policy.commands.filter((command) => !commands.includes(command)) }
  throw new ChorusError("command_unknown", `\`${unknown}\` is not allowed here.`, {
    status: 404,
    next: "`chorus runner policy` shows what is.",
  })
}

/** Where a run may work, and how far it may go; throws what the machine says against it. */
export function admit(policy: RunnerPolicy | undefined, run: WantedRun): Admission<RunnerPolicy["folders"][number]> {
  if (policy === undefined) throw refused("Nobody has allowed runs on this machine.", "Run `chorus runner allow DIR`.")
  const said = admission("This machine", policy, run)
  if ("objection" in said) throw refused(said.objection, said.next)
  return said
}

function refused(message: string, next: string): ChorusError {
  return new ChorusError("not_allowed_here", message, { status: 403, next })
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep))
}
