// Writes to each of the named teams whatever a member writes, until it is told why it cannot; says which team, and the code.
import { writeSync } from "node:fs"
import { openTeam } from "../../src/team.ts"

const [root = "", ...names] = process.argv.slice(2)
await Promise.all(
  names.map(async (name) => {
    try {
      const team = await openTeam(name, { root })
      for (let n = 0; ; n++) {
        await team.deliver({ from: "bob", to: "bob", text: String(n) })
        await team.take("bob")
        await team.patchMember("bob", { cwd: String(n) })
        await team.releaseTasksOf("bob")
        if (n === 0) writeSync(1, `${name} begun\n`)
      }
    } catch (error) {
      writeSync(1, `${name} ${String((error as { code?: unknown }).code ?? error)}\n`)
    }
  }),
)
