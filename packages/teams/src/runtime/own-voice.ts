import { ChorusError, TEAM_LEAD, TeamConfig } from "@chorus/contracts"
import { type Forebear, livenessOf, ownLine } from "@chorus/disk"
import { teamNames, teamPaths, type TeamPaths, tryReadJson } from "../files/index.ts"
import type { Team } from "../team.ts"
import { startedProcess } from "./host-note.ts"
import { cameByItself } from "./own-reader.ts"
import { progressOf } from "./progress.ts"

/** A member below whose process, or that of its agent, something runs. */
interface Speaker {
  readonly team: string
  readonly name: string
  /** It was started for the team, and is nothing else. */
  readonly started: boolean
}

/**
 * Refuses what runs below a member to act for anybody but that member: for its lead, who decides what it may, or for a
 * colleague. Who was started as a member is one wherever it goes; who joined by itself may lead another team.
 */
export function requireOwnVoice(
  { name: team, paths }: Team,
  name: string,
  line: readonly Forebear[] = ownLine(),
): void {
  const speakers = speakersAbove(paths.root, line)
  if (speakers.some((speaker) => speaker.team === team && speaker.name === name)) return
  const speaker =
    speakers.find((one) => one.team === team) ?? speakers.find(({ started }) => started) ?? unknownMember(line)
  if (speaker === undefined) return
  throw new ChorusError(
    "not_your_name",
    `This runs below ${speaker.name}, a member of ${speaker.team}, which does not act for ${name === TEAM_LEAD ? `the lead of ${team}` : name}.`,
    { status: 403, next: "Act under its own name; what is the lead's to do, ask the lead for." },
  )
}

function speakersAbove(root: string, line: readonly Forebear[]): Speaker[] {
  return teamNames(root).flatMap((team) => {
    const paths = teamPaths(root, team)
    const { data } = TeamConfig.safeParse(tryReadJson(paths.config).value)
    return (data?.members ?? [])
      .filter(({ name }) => runsIn(paths, name, line))
      .map((member) => ({ team, name: member.name, started: !cameByItself(member) }))
  })
}

function runsIn(paths: TeamPaths, name: string, line: readonly Forebear[]): boolean {
  return [startedProcess(paths, name), progressOf(paths, name)?.agent].some(
    (process) => process !== undefined && line.some(({ pid }) => pid === process.pid) && livenessOf(process) !== "dead",
  )
}

/** Its team keeps its files elsewhere, or has gone. */
function unknownMember(line: readonly Forebear[]): Pick<Speaker, "team" | "name"> | undefined {
  const marked = line.find(({ marks }) => marks.includes("CHORUS_TEAM_MODE"))
  return marked === undefined ? undefined : { name: `process ${marked.pid}`, team: "another team" }
}
