import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { ChorusError, type runs } from "@chorus/contracts"
import { ADAPTERS } from "@chorus/runs"
import { Command } from "commander"
import { oneLine, paint, printJson } from "../output.ts"
import { adaptersIn } from "./service.ts"

export function setupCommand(): Command {
  return new Command("setup")
    .description("Fetch what lets Claude Code or Codex be run by Chorus, from npm.")
    .argument("<program...>", "claude, codex")
    .option("--json", "print JSON")
    .action(async (programs: string[], { json }: { json?: boolean }) => {
      const wanted = programs.map((program) => {
        const adapter = ADAPTERS[program as runs.RunProgram]
        if (adapter !== undefined) return adapter
        throw new ChorusError("nothing_to_fetch", `${program} needs nothing beside itself.`, {
          next: "Install it as its makers say.",
        })
      })
      await fetchAdapters(wanted)
      if (json) return printJson({ fetched: wanted })
      process.stdout.write(`${paint("green", "fetched")} ${wanted.join(", ")}\n`)
    })
}

/** Brings adapters from npm to where every runner of this person looks for them. */
export async function fetchAdapters(wanted: readonly string[]): Promise<void> {
  const folder = adaptersIn()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"private":true}\n')
  const options = ["--no-audit", "--no-fund", "--no-save", "--omit=optional", "--loglevel=error"]
  try {
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...options, ...wanted], { cwd: folder })
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string }
    if (code === "ENOENT")
      throw new ChorusError("no_npm", "There is no npm on this machine's PATH.", { next: "Install Node.js with npm." })
    // npm says first what went wrong, and then where its log is.
    const [said = "it gave no reason"] = stderr
      .split("\n")
      .map((line) => oneLine(line.replace(/^npm (error|ERR!)( code)?/, "")))
      .filter((line) => line !== "" && !/^E[A-Z0-9]+$/.test(line))
    throw new ChorusError("fetch_failed", `npm could not fetch ${wanted.join(", ")}: ${said}`, {
      status: 502,
      next: "See that this machine reaches its npm registry (`npm ping`), then run it again.",
      cause: error,
    })
  }
}
