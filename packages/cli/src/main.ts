import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { givenNonBlocking } from "./given-descriptors.ts"
import { programCache } from "./program-cache.ts"

// Compiling is a good part of what a short command does; what was compiled once is kept for the next, where only this person can write.
if (process.argv[2] !== "uninstall") enableCompileCache(join(programCache(), "compiled"))
// The agent that these become finds its descriptors as they were given to us.
if (["run", "resume"].includes(process.argv[2] ?? "")) process.env["CHORUS_NON_BLOCKING"] = givenNonBlocking().join()
// A runner waits for most of its life: the optimising compilers take memory that it may not have at rest, and make it
// no faster.
if (process.argv[2] === "runner")
  for (const flag of ["--no-opt", "--no-maglev"]) (await import("node:v8")).setFlagsFromString(flag)
const { runCli } = await import("./program.ts")

await runCli(process.argv.slice(2))
