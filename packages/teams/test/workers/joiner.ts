// Joins a team under each of the names given.
import { openTeam } from "../../src/team.ts"

const [root = "", name = "", ...names] = process.argv.slice(2)
const team = await openTeam(name, { root })
for (const member of names) await team.join({ name: member })
