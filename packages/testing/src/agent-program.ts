import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { cacheDirectory, filledOnce, npmInstall } from "./cache.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

export type Agent = "claude-code" | "codex" | "opencode"

interface Pin {
  package: string
  command: string
  /** The first is the default; the others are of other eras, and the newest at the time of writing. */
  versions: readonly [string, ...string[]]
}

// Claude Code 2.1.41 speaks the February 2026 team protocol and is a script run by Node; today's is a native program. With 2.1.118
// hooks that start no process begin.
const PINS = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    command: "claude",
    versions: ["2.1.325", "2.1.327", "2.1.197", "2.1.118", "2.1.117", "2.1.41"],
  },
  codex: { package: "@openai/codex", command: "codex", versions: ["0.166.0", "0.169.0"] },
  opencode: { package: "opencode-ai", command: "opencode", versions: ["1.18.33"] },
} as const satisfies Record<Agent, Pin>

export type AgentVersion<A extends Agent = Agent> = (typeof PINS)[A]["versions"][number]

/** The path of a real agent program at a pinned version, fetched once into the cache folder. */
export async function agentProgram<A extends Agent>(agent: A, version?: AgentVersion<A>): Promise<string> {
  const pin: Pin = PINS[agent]
  const wanted = version ?? pin.versions[0]
  const folder = `${pin.package.replace(/^@/, "").replace("/", "-")}-${wanted}`
  try {
    const home = await filledOnce(join(cacheDirectory(), "agents", folder), async (directory) => {
      await npmInstall(directory, `${pin.package}@${wanted}`)
      await checkVersion(commandIn(directory, pin), wanted)
    })
    return commandIn(home, pin)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`No ${agent} ${wanted} for this test: ${reason}`, { cause: error })
  }
}

/** What the registry gives today to somebody who asks for the newest. */
export async function newestVersion<A extends Agent>(agent: A): Promise<AgentVersion<A>> {
  const { stdout } = await promisify(execFile)("npm", ["view", PINS[agent].package, "version"], {
    shell: process.platform === "win32",
  })
  return stdout.trim() as AgentVersion<A>
}

/** By which the programs speak the Agent Client Protocol that do not do so themselves. */
const ADAPTERS = {
  claude: "@agentclientprotocol/claude-agent-acp@0.99.1",
  codex: "@agentclientprotocol/codex-acp@2.6.0",
} as const

/**
 * The folder of an adapter's command, fetched once into the cache folder, without the copy of the program that it could
 * bring.
 */
export async function acpAdapter(program: keyof typeof ADAPTERS): Promise<string> {
  const wanted = ADAPTERS[program]
  const folder = join(cacheDirectory(), "agents", wanted.replace(/^@/, "").replaceAll(/[/@]/g, "-"))
  const home = await filledOnce(folder, (directory) => npmInstall(directory, wanted, false))
  return join(home, "node_modules", ".bin")
}

function commandIn(home: string, pin: Pin): string {
  return join(home, "node_modules", ".bin", process.platform === "win32" ? `${pin.command}.cmd` : pin.command)
}

// The native program is an optional dependency, which npm leaves out without a word on a platform that has none.
async function checkVersion(program: string, version: string): Promise<void> {
  if (!existsSync(program)) throw new Error(`the package has no program for ${process.platform}-${process.arch}.`)
  const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  await using home = temporaryDirectory("version-")
  const env = { PATH, HOME: home.path, TMPDIR: home.path }
  const shown = await promisify(execFile)(program, ["--version"], {
    env,
    shell: process.platform === "win32",
    timeout: 60_000,
  })
  if (!shown.stdout.includes(version)) throw new Error(`it says it is "${shown.stdout.trim()}".`)
}
