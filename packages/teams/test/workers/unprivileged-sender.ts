// Sends one message as a user that may not write, and prints the error's code.
import { openTeam } from "../../src/team.ts"

const [root = "", name = "", to = "", text = "x"] = process.argv.slice(2)
const team = await openTeam(name, { root })
if (process.getuid?.() === 0) process.setuid?.(65534)
try {
  await team.deliver({ from: "nobody", to, text: text === "long" ? "y".repeat(400_000) : text })
  process.stdout.write("sent\n")
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}\n`)
}
