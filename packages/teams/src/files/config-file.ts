import { existsSync, mkdirSync } from "node:fs"
import { ChorusError, TEAM_LEAD, TeamConfig, type TeamMember } from "@chorus/contracts"
import { replaceFile } from "@chorus/disk"
import { nextColor } from "./color.ts"
import { keepSnapshot, restoreFromSnapshot } from "./config-snapshot.ts"
import { teamGone } from "./file-fault.ts"
import { safeName, sameInbox, sameName } from "./name.ts"
import { replaceNoted } from "./noted-append.ts"
import { damaged, patiently, readJson, tryReadJson, Unfinished } from "./patient-json.ts"
import { withTeamLock } from "./team-lock.ts"
import { refuseLinks, type TeamPaths } from "./team-paths.ts"

export async function readConfig(paths: TeamPaths): Promise<TeamConfig> {
  refuseLinks(paths.directory, paths.config)
  const value = await readMending(paths)
  if (value === undefined) throw teamGone(paths.team)
  const config = parseConfig(paths, value)
  keepSnapshot(paths, config, "if kept before")
  return config
}

/** A roster that stays damaged is put back from the last whole one, once. */
async function readMending(paths: TeamPaths): Promise<unknown> {
  try {
    return await readJson(paths.config)
  } catch (error) {
    if ((error as { code?: unknown }).code !== "file_damaged" || !(await restoreFromSnapshot(paths))) throw error
    return readJson(paths.config)
  }
}

/** Changes the roster under its lock; returns what was written. Returning the same object writes nothing. */
export async function updateConfig(
  paths: TeamPaths,
  change: (config: TeamConfig) => TeamConfig,
  note?: string,
): Promise<TeamConfig> {
  await readConfig(paths)
  return patiently(paths.config, () =>
    withTeamLock(paths, paths.config, (held) => {
      const read = tryReadJson(paths.config)
      if (read.state === "missing") throw teamGone(paths.team)
      if (read.state === "unfinished") throw new Unfinished()
      const before = parseConfig(paths, read.value)
      const after = change(before)
      if (after === before) return after
      const text = JSON.stringify(after, null, 2)
      if (note === undefined) replaceFile(paths.config, text, { held })
      else replaceNoted(paths, paths.config, text, held, note)
      keepSnapshot(paths, after, "always")
      return after
    }),
  )
}

/** Writes the first config of a team; fails when the team is already there. */
export async function createConfig(paths: TeamPaths, config: TeamConfig): Promise<void> {
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 })
  refuseLinks(paths.directory, paths.config)
  await withTeamLock(paths, paths.config, (held) => {
    if (existsSync(paths.config)) {
      throw new ChorusError("team_exists", `There is already a team "${paths.team}".`, {
        next: "Choose another name, or delete that team first.",
        status: 409,
      })
    }
    replaceFile(paths.config, JSON.stringify(config, null, 2), { held })
    keepSnapshot(paths, config, "always")
  })
}

export type NewMember = Omit<TeamMember, "agentId" | "joinedAt" | "color" | "name"> & {
  name: string
  color?: string | undefined
}

/** Adds a member with the next colour. A name that is taken, also in another case, is refused. */
export async function addMember(paths: TeamPaths, member: NewMember, now: number, note?: string): Promise<TeamMember> {
  safeName("agent", member.name)
  const added = (config: TeamConfig) => {
    const taken = config.members.find(
      (other) => sameName(other.name, member.name) || sameInbox(other.name, member.name),
    )
    if (taken !== undefined || sameName(member.name, TEAM_LEAD)) {
      throw new ChorusError(
        "name_taken",
        `The team "${paths.team}" already has a member called "${taken?.name ?? TEAM_LEAD}".`,
        {
          next: "Choose a name that differs in more than case, accents and punctuation: such names share an inbox.",
          status: 409,
        },
      )
    }
    return { ...config, members: [...config.members, rosterEntry(paths.team, config, member, now)] }
  }
  return requireMember(await updateConfig(paths, added, note), member.name)
}

/** Takes a member off the roster; false when it was not on it. */
export async function removeMember(paths: TeamPaths, name: string): Promise<boolean> {
  let removed = false
  await updateConfig(paths, (config) => {
    const members = config.members.filter((member) => member.name !== name)
    removed = members.length < config.members.length
    return removed ? { ...config, members } : config
  })
  return removed
}

export async function patchMember(paths: TeamPaths, name: string, patch: Partial<TeamMember>): Promise<void> {
  await updateConfig(paths, (config) => {
    const member = config.members.find((other) => other.name === name)
    if (member === undefined || Object.entries(patch).every(([key, value]) => member[key] === value)) return config
    return { ...config, members: config.members.map((other) => (other === member ? { ...other, ...patch } : other)) }
  })
}

export function requireMember(config: TeamConfig, name: string): TeamMember {
  const member = config.members.find((other) => other.name === name)
  if (member !== undefined) return member
  throw new ChorusError("no_such_member", `Nobody called "${name}" is in the team "${config.name}".`, {
    next: `Members: ${config.members.map((other) => other.name).join(", ")}.`,
    status: 404,
  })
}

/** Lets everybody have an inbox who is in the team, and others where it is not a member's. */
export function refuseAnothersInbox({ name: team, members }: TeamConfig, name: string): void {
  if (members.some((member) => member.name === name)) return
  const whose = members.find((member) => sameInbox(member.name, name))
  if (whose === undefined) return
  throw new ChorusError(
    "anothers_inbox",
    `"${name}" is not in the team "${team}", and its inbox is that of "${whose.name}".`,
    {
      next: `Say "${whose.name}" if that is who is meant.`,
      status: 409,
    },
  )
}

function rosterEntry(team: string, config: TeamConfig, member: NewMember, now: number): TeamMember {
  const { name, color, ...rest } = member
  return {
    agentId: `${name}@${team}`,
    name,
    color: color ?? nextColor(config.members),
    joinedAt: now,
    tmuxPaneId: "",
    subscriptions: [],
    ...rest,
  }
}

function parseConfig(paths: TeamPaths, value: unknown): TeamConfig {
  if (!TeamConfig.safeParse(value).success) throw damaged(paths.config)
  return value as TeamConfig
}
