import { ChorusError } from "@chorus/contracts"
import { runMember } from "./member-program.ts"

try {
  await runMember(process.argv.slice(2))
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${error instanceof ChorusError ? `${error.message} [${error.code}]` : String(error)}\n`)
}
