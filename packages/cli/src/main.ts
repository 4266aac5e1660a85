import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

// Compiling is a good part of what a short command does; what was compiled once is kept for the next, where only this person can write.
const { CHORUS_CACHE, XDG_CACHE_HOME } = process.env
enableCompileCache(join(CHORUS_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), ".cache"), "chorus"), "compiled"))
const { runCli } = await import("./program.ts")

await runCli(process.argv.slice(2))
