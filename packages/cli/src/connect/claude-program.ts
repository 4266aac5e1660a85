import { execFile } from "node:child_process"
import { ChorusError } from "@chorus/contracts"

const PATIENCE_MS = 120_000

/** The `claude` command of this machine. Nothing goes through a shell. */
export interface ClaudeProgram {
  readonly version: string
  /** Runs `claude …`; a failure is told with what the program said. `input` goes to its standard input, where no list of processes shows it. */
  run(args: readonly string[], input?: string): Promise<string>
}

/** How a version lets somebody else set a plugin's options: by its standard input, by arguments of an install, or not at all. */
export type OptionsWay = "input" | "arguments" | "none"

/** Asked of the program itself, because versions differ in more than their number says. */
export async function optionsWay({ run }: ClaudeProgram): Promise<OptionsWay> {
  if (!(await run(["plugin", "install", "--help"])).includes("--config ")) return "none"
  return /^\s+configure\b/m.test(await run(["plugin", "--help"])) ? "input" : "arguments"
}

/** Sets options of a plugin. By arguments this installs it too; installing one that is installed only sets them. */
export async function setOptions(
  { run }: ClaudeProgram,
  way: Exclude<OptionsWay, "none">,
  plugin: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  if (way === "input") await run(["plugin", "configure", plugin, "--values-stdin"], JSON.stringify(values))
  else
    await run(
      ["plugin", "install", plugin].concat(
        Object.entries(values).flatMap(([name, value]) => ["--config", `${name}=${value}`]),
      ),
    )
}

export async function findClaude(program: string): Promise<ClaudeProgram> {
  const shown = await execute(program, ["--version"]).catch((error: NodeJS.ErrnoException) => {
    throw new ChorusError("no_claude", `Claude Code does not run as "${program}" (${error.code ?? error.message}).`, {
      status: 404,
      next: "Install it, or name it with --claude PATH.",
    })
  })
  const version = /\d+\.\d+\.\d+/.exec(shown)?.[0]
  if (version === undefined)
    throw new ChorusError("no_claude", `"${program}" is not Claude Code: it says "${shown.trim().slice(0, 80)}".`, {
      status: 404,
      next: "Name Claude Code with --claude PATH.",
    })
  return {
    version,
    run: (args, input) =>
      execute(program, args, input).catch((error: Error) => {
        throw new ChorusError("claude_failed", `claude ${args.slice(0, 3).join(" ")} failed: ${error.message}`, {
          status: 502,
          next: "Run it by hand to see more.",
        })
      }),
  }
}

function execute(program: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { timeout: PATIENCE_MS, maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const said = `${stderr}${stdout}`.trim().split("\n").slice(-3).join(" ")
      reject(Object.assign(new Error(said === "" ? error.message : said), { code: error.code }))
    })
    // A program that ended without reading has said why by its exit code.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input)
  })
}
