// Sends `count` messages to one inbox and says on stdout which ones are acknowledged.
import { writeSync } from "node:fs"
import { openTeam } from "../../src/team.ts"

const [root = "", name = "", from = "", to = "", count = "0"] = process.argv.slice(2)
const team = await openTeam(name, { root })
for (let n = 1; n <= Number(count); n++) {
  await team.deliver({ from, to, text: `${from} ${n}` })
  writeSync(1, `${n}\n`)
}
