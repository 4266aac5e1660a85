import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CHORUS_MAIN, agentProgram, killTree, type ScratchHome, scratchHome } from "@chorus/testing"
import { chorus, type RunningChorus, startChorus } from "../packages/cli/test/chorus-process.ts"
import { ROOT } from "./snippets.ts"

/** A home with a running server, in which the commands of a page do what they would do for a reader. */
export interface SnippetShell extends AsyncDisposable {
  /** Runs a script of bash to its end; fails with all it said when it fails. */
  run(script: string): Promise<string>
  /** Runs a TypeScript file that may import what this repository has. */
  runTypeScript(file: string): Promise<string>
}

const READERS_PORT = "8637"
const PATIENCE_MS = 110_000

/** What stays in the foreground has done its part when it has said something; then it is asked to end in good order. */
const CHORUS = `#!/bin/bash
case "$1" in
  start) set -- "$@" --port 0 --data "$(mktemp -d)" ;;
  companion) case "\${2-}" in enable | disable) exec "$NODE" "$MAIN" "$@" ;; esac ;;
  *) exec "$NODE" "$MAIN" "$@" ;;
esac
exec 3< <(exec "$NODE" "$MAIN" "$@" 2>&1)
pid=$!
read -r line <&3 || { wait $pid; echo "chorus $1 ended with $?" >&2; exit 1; }
echo "$line"
kill -TERM $pid
code=0
wait $pid || code=$?
[ $code = 143 ] && exit 0
exit $code
`

/** The scripts of this repository are tested as such; here it is enough that the page names one that exists. */
const NPM = `#!/bin/bash
case "$1" in
  start) shift; [ "\${1-}" = "--" ] && shift; exec chorus start "$@" ;;
  test) exit 0 ;;
  run) grep -q "^    \\"$2\\": " "$ROOT/package.json" || { echo "there is no script $2" >&2; exit 1; } ;;
  *) echo "npm $1 is not for a page" >&2; exit 1 ;;
esac
`

const NPX = `#!/bin/bash
[ "$1" = chorus ] || { echo "npx $1 is not for a page" >&2; exit 1; }
shift
exec chorus "$@"
`

export async function openShell(): Promise<SnippetShell> {
  const home = scratchHome()
  const programs = await Promise.all(
    (["claude-code", "codex", "opencode"] as const).map((agent) => agentProgram(agent)),
  )
  const bin = join(home.path, "bin")
  mkdirSync(bin)
  for (const [name, text] of Object.entries({ chorus: CHORUS, npm: NPM, npx: NPX }))
    writeFileSync(join(bin, name), text, { mode: 0o755 })
  const data = join(home.path, ".chorus")
  const server = await startChorus(["--data", data], { HOME: home.path })
  const env = {
    ...home.environment,
    PATH: [bin, ...programs.map((program) => dirname(program)), home.environment["PATH"]].join(":"),
    SHELL: "/bin/bash",
    NO_COLOR: "1",
    NODE: process.execPath,
    MAIN: CHORUS_MAIN,
    ROOT,
    ...(await keys(home, data)),
  }
  const rewritten = (text: string) => text.replaceAll(READERS_PORT, new URL(server.url).port)
  return {
    // A folder of its own for each, so that what one page leaves there is in nobody's way.
    run: (script) =>
      finished(
        "bash",
        ["--norc", "-euo", "pipefail", "-c", rewritten(script)],
        env,
        mkdtempSync(join(home.path, "page-")),
      ),
    runTypeScript: (file) => finished(process.execPath, [file], { ...env, CHORUS_URL: server.url }, home.project),
    [Symbol.asyncDispose]: () => closed(server, home, env),
  }
}

/** The keys that pages take as given. */
async function keys(home: ScratchHome, data: string): Promise<Record<string, string>> {
  const agents = { CHORUS_API_KEY: "developer", PLANNER_KEY: "lead", BUILDER_KEY: "developer", LEAD_KEY: "admin" }
  const made: Record<string, string> = {}
  for (const [variable, preset] of Object.entries(agents)) {
    const { code, stdout, stderr } = await chorus(
      ["agent", "add", variable.toLowerCase(), "--preset", preset, "--data", data, "--json"],
      { HOME: home.path },
    )
    if (code !== 0) throw new Error(stderr)
    made[variable] = (JSON.parse(stdout) as { key: string }).key
  }
  return made
}

/** The listener of the status would outlive the home by a minute. */
async function closed(
  server: RunningChorus,
  home: ScratchHome,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await finished("bash", ["--norc", "-c", "chorus shell-init bash --remove"], env, home.path)
  await server.end()
  await home.remove()
}

function finished(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text))
    // What a page starts and never ends goes with it.
    const patience = setTimeout(() => void killTree(child.pid ?? 0), PATIENCE_MS)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(patience)
      if (code === 0) resolve(said)
      else reject(new Error(`ended with ${code ?? signal ?? "?"}:\n${said.slice(-3000)}`))
    })
  })
}
