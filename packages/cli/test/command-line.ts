import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough, Writable } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { afterAll, beforeEach } from "vitest"
import { runCli } from "../src/program.ts"
import { standing } from "../src/team/person.ts"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  /** In place of what this process has of HOME and of every variable of Chorus and Claude Code. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder it is run in. */
  readonly cwd?: string
  /** An agent at whose shell it is typed, instead of a person's. */
  readonly below?: string
  /** What a program pipes in. */
  readonly input?: string
  /** A person at a terminal: what they type once they see something, in order. */
  readonly person?: readonly (readonly [sees: string | RegExp, types: string])[]
  readonly columns?: number
}

/** Runs the command in this process, with streams, environment and exit code of its own. */
export async function chorusHere(argv: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return withStreams(surroundings, () => runCli(argv))
}

/** The same, read as JSON; a failure shows what it said. */
export async function chorusHereJson<T>(argv: readonly string[], surroundings: Surroundings = {}): Promise<T> {
  const { code, stdout, stderr } = await chorusHere([...argv, "--json"], surroundings)
  if (code !== 0) throw new Error(`chorus ${argv.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** What a refused command tells programs. */
export async function refusalOf(
  argv: readonly string[],
  surroundings: Surroundings = {},
): Promise<{ code: string; message: string; next?: string; details?: object }> {
  const { code, stdout, stderr } = await chorusHere([...argv, "--json"], surroundings)
  if (code === 0) throw new Error(`chorus ${argv.join(" ")} was not refused: ${stdout}`)
  return (JSON.parse(stderr) as { error: { code: string; message: string } }).error
}

const underWay = new Set<Promise<unknown>>()

/** Lends the process other streams and another environment for one piece of work. */
export async function withStreams(surroundings: Surroundings, work: () => Promise<unknown>): Promise<Ended> {
  const ended = lentStreams(surroundings, work)
  underWay.add(ended)
  return ended.finally(() => underWay.delete(ended))
}

async function lentStreams(
  { env = {}, cwd, below, input = "", person, columns = 100 }: Surroundings,
  work: () => Promise<unknown>,
): Promise<Ended> {
  const stdin = new PassThrough()
  const answers = [...(person ?? [])]
  let unseen = ""
  const stdout = heard((text) => {
    unseen += stripVTControlCharacters(text)
    const [next] = answers
    if (next === undefined || unseen.search(next[0]) < 0) return
    answers.shift()
    unseen = ""
    setImmediate(() => stdin.write(next[1]))
  })
  const stderr = heard()
  if (person === undefined) stdin.end(input)
  else {
    Object.assign(stdin, { isTTY: true, setRawMode: () => stdin })
    for (const { stream } of [stdout, stderr])
      Object.assign(stream, { isTTY: true, columns, rows: 24, getColorDepth: () => 1 })
  }
  const back = [
    lendEnvironment({ NO_COLOR: "1", ...env }),
    cwd === undefined ? () => undefined : lendFolder(cwd),
    lend("stdin", stdin),
    lend("stdout", stdout.stream),
    lend("stderr", stderr.stream),
    lendShell(below),
  ]
  const before = process.exitCode
  process.exitCode = undefined
  try {
    await work()
    if (answers.length > 0) throw new Error(`It never showed ${String(answers[0]?.[0])}, but: ${stdout.text()}`)
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.exitCode = before
    for (const giveBack of back.toReversed()) giveBack()
  }
}

/**
 * A folder for the tests of one file. A test that ran out of time leaves its command behind, which in the end gives back what it was
 * lent: a command of the next test would then go on in the real home, and `uninstall` would clear that.
 */
export function scratchFolder(): string {
  beforeEach(() => Promise.allSettled(underWay))
  const path = realpathSync(mkdtempSync(join(tmpdir(), "chorus-cli-")))
  afterAll(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  return path
}

/** The same, but another one at each call: for tests that must not meet. */
export function scratchFolders(): () => string {
  const path = scratchFolder()
  let count = 0
  return () => join(path, String(count++))
}

function heard(listen: (text: string) => void = () => undefined): { readonly stream: Writable; text(): string } {
  const pieces: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string | Buffer, _encoding, done) {
      pieces.push(String(piece))
      listen(String(piece))
      done()
    },
  })
  return { stream, text: () => pieces.join("") }
}

function lend(name: "stdin" | "stdout" | "stderr", stream: object): () => void {
  const own = Object.getOwnPropertyDescriptor(process, name)
  Object.defineProperty(process, name, { configurable: true, value: stream })
  return () => own !== undefined && Object.defineProperty(process, name, own)
}

/** Whoever runs the tests, the command is typed at a person's shell, or below the agent that is named. */
function lendShell(agent?: string): () => void {
  const before = standing.line
  standing.line = () => [
    { pid: process.pid, name: "node", words: ["node", "chorus"], marks: Object.keys(process.env) },
    { pid: process.ppid, name: "zsh", words: ["-zsh"], marks: ["HOME"] },
    ...(agent === undefined ? [] : [{ pid: 7, name: agent, words: [agent], marks: [] }]),
  ]
  return () => {
    standing.line = before
  }
}

function lendFolder(path: string): () => void {
  const before = process.cwd()
  process.chdir(path)
  return () => process.chdir(before)
}

function lendEnvironment(env: Readonly<Record<string, string>>): () => void {
  const ours = Object.keys(process.env).filter((name) => /^(CHORUS|CLAUDE|CODEX|OPENCODE|XDG)/.test(name))
  const before = new Map([...ours, ...Object.keys(env)].map((name) => [name, process.env[name]]))
  for (const name of ours) delete process.env[name]
  Object.assign(process.env, env)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
