// Claims whatever is free until nothing is left; prints the numbers it won.
import { openTeam } from "../../src/index.ts"

const [root = "", name = "", agent = ""] = process.argv.slice(2)
const team = await openTeam(name, { root })
for (;;) {
  const task = await team.claimNext(agent)
  if (task === undefined) break
  process.stdout.write(`${task.id}\n`)
  await team.updateTask(task.id, { status: "completed" })
}
