// Sends a message, waits until the receiver is idle again, sends the next.
import { openTeam } from "../../src/team.ts"
import { Bell } from "@chorus/core"
import { watchFolder } from "../../src/watch.ts"

const [root = "", name = "", to = "", count = "0"] = process.argv.slice(2)
const team = await openTeam(name, { root })
const bell = new Bell()
const watching = watchFolder(team.paths.inboxes, () => bell.ring())
for (let n = 0; n < Number(count); n++) {
  await team.deliver({ from: "pinger", to, text: `ping ${n}` })
  while ((await team.take("team-lead")).length === 0) await bell.heard()
}
watching.close()
