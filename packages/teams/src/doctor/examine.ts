import { copyFileSync, lstatSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { TEAM_LEAD, TeamConfig } from "@chorus/contracts"
import { livenessOf, replaceFile } from "@chorus/disk"
import {
  claudeConfigDir,
  entriesOf,
  isSafeName,
  teamPaths,
  type TeamPaths,
  tryReadJson,
  withTeamLock,
} from "../files/index.ts"
import { Team } from "../team.ts"
import type { Finding } from "./finding.ts"
import { ghostFindings } from "./ghosts.ts"
import { wholeObjects } from "./salvage.ts"
import { linkFindings } from "./task-graph.ts"

const LEFTOVER_AFTER_MS = 60_000
const LOOK_AGAIN_MS = 400
const CROWDED = 1_000

/** Looks over all teams of this machine, or one. Changes nothing; each finding knows its own repair. */
export async function examineTeams(
  options: { root?: string | undefined; team?: string | undefined } = {},
): Promise<Finding[]> {
  const root = options.root ?? claudeConfigDir()
  const names = options.team === undefined ? entriesOf(join(root, "teams")).sort() : [options.team]
  return (await Promise.all(names.map((name) => examine(root, name)))).flat()
}

async function examine(root: string, name: string): Promise<Finding[]> {
  if (statSync(join(root, "teams", name), { throwIfNoEntry: false })?.isDirectory() !== true) return []
  if (!isSafeName(name))
    return [
      {
        team: name,
        what: "unsafe",
        where: join(root, "teams", name),
        says: "This name is not safe as a file name; the folder is passed over.",
      },
    ]
  const paths = teamPaths(root, name)
  const files = [paths.config, ...jsonFiles(paths.inboxes), ...jsonFiles(paths.tasks)]
  const plain = [
    ...files.flatMap((file) => unsafe(paths, file)),
    ...files.flatMap((file) => damage(paths, file)),
    ...(await lockFindings(paths)),
    ...leftovers(paths),
    ...crowds(paths),
  ]
  const { value } = tryReadJson(paths.config)
  if (value === undefined || plain.some((finding) => finding.what === "damaged")) return plain
  if (!TeamConfig.safeParse(value).success)
    return [
      ...plain,
      { team: name, what: "damaged", where: paths.config, says: "Valid JSON, but not the roster of a team." },
    ]
  const config = value as TeamConfig
  const team = new Team(paths)
  return [
    ...plain,
    ...leadFindings(paths, config),
    ...(await ghostFindings(team, config)),
    ...(await linkFindings(team)),
  ]
}

function unsafe(paths: TeamPaths, file: string): Finding[] {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined || stat.isFile()) return []
  const says = stat.isSymbolicLink()
    ? "A symbolic link stands where a file should be; it is not followed."
    : "Something that is no file stands where a file should be; it is passed over."
  return [{ team: paths.team, what: "unsafe", where: file, says }]
}

function damage(paths: TeamPaths, file: string): Finding[] {
  const inbox = file.startsWith(paths.inboxes)
  if (!isDamaged(file, inbox)) return []
  return [
    {
      team: paths.team,
      what: "damaged",
      where: file,
      says: inbox
        ? `Not a list of messages in JSON; ${wholeObjects(readFileSync(file, "utf8")).length} whole messages can be kept.`
        : "Not valid JSON.",
      repair: inbox ? () => mendInbox(paths, file) : undefined,
    },
  ]
}

function isDamaged(file: string, inbox: boolean): boolean {
  const { state, value } = tryReadJson(file)
  return state === "unfinished" || (inbox && state === "read" && !Array.isArray(value))
}

/** Keeps a copy of what was there, then writes the whole messages back. */
async function mendInbox(paths: TeamPaths, file: string): Promise<void> {
  await withTeamLock(paths, file, (held) => {
    if (!isDamaged(file, true)) return
    copyFileSync(file, `${file}.damaged-${Date.now()}`)
    replaceFile(file, JSON.stringify(wholeObjects(readFileSync(file, "utf8")), null, 2), { held })
  })
}

/** A lock is held for milliseconds; one that is still the same a little later is a finding. Taking and freeing it follows the usual rules. */
async function lockFindings(paths: TeamPaths): Promise<Finding[]> {
  const before = locksOf(paths)
  if (before.size === 0) return []
  await pause(LOOK_AGAIN_MS)
  const after = locksOf(paths)
  return [...before].flatMap(([path, stamp]): Finding[] => {
    if (after.get(path) !== stamp) return []
    const age = Math.round((Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) / 1000)
    return [
      {
        team: paths.team,
        what: "lock",
        where: path,
        says: `Locked for ${age} s.`,
        repair: () => withTeamLock(paths, path.slice(0, -".lock".length), () => undefined),
      },
    ]
  })
}

function locksOf(paths: TeamPaths): Map<string, string> {
  const locks = [paths.directory, paths.inboxes, paths.tasks].flatMap((folder) =>
    entriesOf(folder)
      .filter((name) => name.endsWith(".lock"))
      .map((name) => join(folder, name)),
  )
  return new Map(
    locks.flatMap((path): [string, string][] => {
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat?.isDirectory() === true ? [[path, `${stat.ino}-${stat.mtimeMs}`]] : []
    }),
  )
}

function leftovers(paths: TeamPaths): Finding[] {
  return [paths.directory, paths.inboxes, paths.tasks].flatMap((folder) =>
    entriesOf(folder)
      .filter(
        (name) =>
          /\.tmp\.[^.]+$/.test(name) &&
          Date.now() - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) >
            LEFTOVER_AFTER_MS,
      )
      .map((name): Finding => ({
        team: paths.team,
        what: "leftover",
        where: join(folder, name),
        says: "A write that was cut off left this; the file it was for is whole.",
        repair: async () => rmSync(join(folder, name), { force: true }),
      })),
  )
}

function crowds(paths: TeamPaths): Finding[] {
  return jsonFiles(paths.inboxes).flatMap((file) => {
    const entries = tryReadJson(file).value
    const unread = Array.isArray(entries)
      ? entries.filter((entry: { read?: unknown } | null) => entry?.read !== true).length
      : 0
    return unread < CROWDED
      ? []
      : [
          {
            team: paths.team,
            what: "crowded" as const,
            where: file,
            says: `${unread} messages wait; nobody seems to read them.`,
          },
        ]
  })
}

function leadFindings(paths: TeamPaths, config: TeamConfig): Finding[] {
  if (config.leadProcess === undefined || livenessOf(config.leadProcess) !== "dead") return []
  return [
    {
      team: paths.team,
      what: "no_lead",
      where: paths.config,
      says: `The session that led this team (${TEAM_LEAD}, process ${config.leadProcess.pid}) has ended. Remove the team with \`chorus team delete --force\`.`,
    },
  ]
}

function jsonFiles(folder: string): string[] {
  return entriesOf(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name))
}
