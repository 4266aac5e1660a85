// Claims whatever is free until nothing is left; prints the numbers it won.
import { openTeam } from "../../src/team.ts"

const [root = "", name = "", agent = ""] = process.argv.slice(2)
const team = await openTeam(name, { root })
await team.join({ name: agent })
for (;;) {
  const task = await team.claimNext(agent)
  if (task === undefined) break
  process.stdout.write(`${task.id}\n`)
  await team.updateTask(task.id, { status: "completed" })
}
