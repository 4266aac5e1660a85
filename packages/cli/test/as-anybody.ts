import { runCli } from "../src/program.ts"
import "../src/start/command.ts"

// To root no folder is read-only. What follows needs nothing more of the program's own files, which others may not be allowed to read.
if (process.getuid?.() === 0) {
  process.setgid?.(65534)
  process.setuid?.(65534)
}
await runCli(process.argv.slice(2))
