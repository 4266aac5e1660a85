import { ChorusError } from "@chorus/contracts"
import { claudeConfigDir, openTeam, requireOwnVoice, type Team, teamNames } from "@chorus/teams"
import { Command, Option } from "commander"
import { standing } from "./person.ts"

export interface InTeam {
  readonly team?: string
  readonly json?: boolean
}

/** A sub-command that works in a team and can answer programs. */
export function inTeam(name: string, does: string): Command {
  return new Command(name)
    .description(does)
    .addOption(new Option("--team <name>", "the team; may be left out when there is only one").env("CHORUS_TEAM"))
    .option("--json", "answer in JSON")
}

export async function teamOf(options: InTeam): Promise<Team> {
  return openTeam(options.team ?? onlyTeam())
}

/** The same for who acts there under a name, which a member does under its own alone. */
export async function teamAs(options: InTeam, name: string): Promise<Team> {
  const team = await teamOf(options)
  requireOwnVoice(team, name, standing.line())
  return team
}

function onlyTeam(): string {
  const names = teamNames(claudeConfigDir())
  if (names.length === 1 && names[0] !== undefined) return names[0]
  throw new ChorusError(
    "which_team",
    names.length === 0 ? "There is no team on this machine." : `There are ${names.length} teams: ${names.join(", ")}.`,
    {
      next: names.length === 0 ? "Make one with `chorus team create <name>`." : "Name one with --team.",
    },
  )
}
