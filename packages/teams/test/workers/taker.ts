// Takes messages from one inbox until told to stop by the end of stdin; prints each text once.
import { openTeam } from "../../src/team.ts"

const [root = "", name = "", agent = ""] = process.argv.slice(2)
const team = await openTeam(name, { root })
let stopping = false
process.stdin.on("end", () => (stopping = true)).resume()
for (;;) {
  const last = stopping
  const taken = await team.take(agent)
  for (const { entry } of taken) process.stdout.write(`${entry.text}\n`)
  if (last && taken.length === 0) break
  await new Promise((resolve) => setTimeout(resolve, 5))
}
