import { TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import { isNoted } from "@chorus/disk"
import { notifyDied } from "../protocol/send.ts"
import { deathNote } from "../runtime/host-note.ts"
import type { Team } from "../team.ts"

/** Whoever sees a member out takes it off the roster meanwhile. */
const SEEN_OUT_MS = 500

/** Who of a team has been seen dead for so long that its lead is to hear of it. */
export class Deaths {
  readonly #team: Team
  #since: ReadonlyMap<string, number> = new Map()

  constructor(team: Team) {
    this.#team = team
  }

  due(dead: readonly TeamMember[]): TeamMember[] {
    const now = this.#team.clock.now()
    const before = this.#since
    this.#since = new Map(dead.map(({ name }) => [name, before.get(name) ?? now]))
    // A lead that has died hears of nobody.
    if (this.#since.has(TEAM_LEAD)) return []
    return dead.filter(({ name }) => now - (before.get(name) ?? now) >= SEEN_OUT_MS)
  }
}

/** Nobody else tells it: a member that has died is silent, and its program's lead notices nothing. */
export async function tellLead(team: Team, dead: readonly TeamMember[]): Promise<void> {
  for (const member of dead) {
    const note = deathNote(team.paths, member)
    if (note !== undefined && !isNoted(note)) await notifyDied(team, member.name, note)
  }
}
