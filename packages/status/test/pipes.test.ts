import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { CHORUS_MAIN, temporaryDirectory } from "@chorus/testing"
import * as fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"

/** An agent that says how its descriptors are set, then hands its input on and says how much it was. */
const AGENT = `#!/usr/bin/perl
my @set = map { my $f = fcntl($_, 3, 0); $f & 2048 ? 'asks' : 'waits' } *STDIN, *STDOUT, *STDERR;
print STDERR "@set\\n";
my $all = 0;
while (1) {
  my $n = sysread STDIN, my $text, 65536;
  die "cannot read: $!" unless defined $n;
  last if $n == 0;
  $all += $n;
  while (length $text) {
    my $w = syswrite STDOUT, $text;
    die "cannot write: $!" unless defined $w;
    substr($text, 0, $w) = '';
  }
}
print STDERR "$all\\n";
exit 3;
`

/** An agent that copies one file it was given by number to another, and says which it has and what it ignores. */
const NUMBERED = `#!/usr/bin/perl
open my $in, '<&=', 5; open my $out, '>&=', 11;
print $out $_ while read $in, $_, 65536;
my @files = sort { $a <=> $b } grep { $_ > 2 && $_ < 63 && (stat "/dev/fd/$_")[1] && -f _ } 0 .. 200;
print STDERR join(", ", map({ "$_ " . ($SIG{$_} // "DEFAULT") } qw(HUP INT)), "@files"), "\\n";
`

describe.each(["Perl", "Node"] as const)("a launch beside which %s runs", (beside) => {
  it("hands an agent its pipes as they were given: what waits still waits, to read and to write", async () => {
    const { child, said, ended } = run("pipe", beside)
    await pause(300)
    const sent = randomBytes(10 * 1024 * 1024)
    child.stdin?.end(sent)
    expect(await slowly(child.stdout)).toBe(sha(sent))
    expect(await ended).toEqual([3, null])
    expect(said()).toBe(`waits waits waits\n${sent.length}\n`)
  })

  it("hands an agent its files as they were given", async () => {
    const { said, folder, ended } = run("file", beside)
    expect(await ended).toEqual([3, null])
    expect(said()).toContain("waits waits")
    expect(sha(readFileSync(join(folder, "out")))).toBe(sha(readFileSync(join(folder, "in"))))
  })

  it("stands in a shell's pipeline as the agent itself would, between one that is late and one that is slow", async () => {
    const { said, folder, ended } = run("pipeline", beside)
    expect(await ended).toEqual([3, null])
    expect(said()).toBe(`waits waits waits\n${3 * 1024 * 1024}\n`)
    expect(sha(readFileSync(join(folder, "out")))).toBe(sha(readFileSync(join(folder, "in"))))
  })

  it.each([
    ["input", "lines"],
    ["output", "in"],
    ["error output", "in"],
  ] as const)("hands on every byte while its %s is a terminal", async (which, sent) => {
    const { folder, ended } = run(`terminal ${which}`, beside)
    expect(await ended).toEqual([3, null])
    const [out, given] = [readFileSync(join(folder, "out")), readFileSync(join(folder, sent))]
    expect(sha(out)).toBe(sha(given))
    const told = readFileSync(join(folder, "errors"), "utf8").replaceAll("\r", "")
    expect(told).toMatch(new RegExp(`waits waits waits\n${given.length}\n`))
  })

  it("ends as an agent does whose reader has gone", async () => {
    const { said, ended } = run("gone", beside)
    expect(await ended).toEqual([0, null])
    expect(said()).toBe("waits waits waits\nSIGPIPE\n")
  })
})

it("stands in a shell's pipeline by its wrapper as the agent itself would", async () => {
  const { said, folder, ended } = run("wrapper", "Perl")
  expect(await ended).toEqual([3, null])
  expect(said()).toBe(`waits waits waits\n${3 * 1024 * 1024}\n`)
  expect(sha(readFileSync(join(folder, "out")))).toBe(sha(readFileSync(join(folder, "in"))))
})

it("hands an agent by its wrapper the files a shell opened by number, and leaves ignored what is ignored", async () => {
  const { said, folder, ended } = run("by number", "Perl", {}, NUMBERED)
  expect(await ended).toEqual([0, null])
  expect(said()).toBe("HUP IGNORE, INT DEFAULT, 5 11\n")
  expect(sha(readFileSync(join(folder, "out")))).toBe(sha(readFileSync(join(folder, "in"))))
})

it("leaves a descriptor that does not wait as it was given", async () => {
  const { said, folder, ended } = run("without waiting", "Perl")
  expect(await ended).toEqual([3, null])
  expect(said()).toBe(`asks waits waits\n${3 * 1024 * 1024}\n`)
  expect(sha(readFileSync(join(folder, "out")))).toBe(sha(readFileSync(join(folder, "in"))))
})

it("hands on whatever is written, in whatever pieces, and however slowly it is read", async () => {
  const pieces = fc.array(fc.record({ size: fc.nat(200_000), pause: fc.nat(4) }), { maxLength: 6 })
  const handsOn = fc.asyncProperty(pieces, fc.nat(8), async (written, slowness) => {
    const { child, ended } = run("pipe", "Perl")
    const heard = (async () => {
      const hash = createHash("sha256")
      for await (const chunk of child.stdout ?? []) {
        hash.update(chunk)
        await pause(slowness)
      }
      return hash.digest("hex")
    })()
    const sent = written.map(({ size }) => randomBytes(size))
    for (const [at, bytes] of sent.entries()) {
      child.stdin?.write(bytes)
      await pause(written[at]?.pause)
    }
    child.stdin?.end()
    expect(await heard).toBe(sha(Buffer.concat(sent)))
    expect(await ended).toEqual([3, null])
  })
  await fc.assert(handsOn, { numRuns: process.env["CHORUS_STRESS"] === "1" ? 20 : 4 })
})

it("says on a pipe that a launch has no status without changing the pipe", async () => {
  const { child, said, ended } = run("pipe", "Perl", { CHORUS_SOCK: `/tmp/${"long/".repeat(40)}s.sock` })
  child.stdin?.end("x")
  expect(await slowly(child.stdout)).toBe(sha(Buffer.from("x")))
  expect(await ended).toEqual([3, null])
  expect(said()).toMatch(/no status for this launch.*\n(?:.*\n)*waits waits waits\n1\n$/)
})

/** What Node calls a pipe is a pair of sockets; a shell's are pipes. */
const AROUND = (agent: string) =>
  `(sleep 0.3; cat in) | ${agent} | (sleep 0.5; cat > out); exit "${"$"}{PIPESTATUS[1]}"`
const IN_TERMINAL = (command: string, typed: string, shown: string) =>
  `C="$*" script -qec '${command}' /dev/null < ${typed} > ${shown}`
const SCRIPTS = {
  pipeline: AROUND('"$@" run codex'),
  "by number": `eval "$("$@" shell-init bash)"; nohup codex 5< in 11> out`,
  wrapper: `eval "$("$@" shell-init bash)"; ${AROUND("codex")}`,
  "without waiting": `perl -e 'fcntl(STDIN, 4, 2048 | fcntl(STDIN, 3, 0)); exec @ARGV' "$@" run codex < in > out`,
  // What is typed ends with the line's end and Ctrl-D, what is shown is left as it is.
  "terminal input": `base64 in > lines; ${IN_TERMINAL("$C run codex > out 2> errors", "lines", "/dev/null")}`,
  "terminal output": IN_TERMINAL("stty -F /dev/tty -opost; $C run codex < in 2> errors", "/dev/null", "out"),
  "terminal error output": IN_TERMINAL("$C run codex < in > out", "/dev/null", "errors"),
  gone: `"$@" run codex < in | head -c 1 > out; code="${"$"}{PIPESTATUS[0]}"; echo "SIG$(kill -l "$code")" >&2`,
}
const WITHOUT_PERL = fileURLToPath(new URL("../../cli/test/run-without-perl.ts", import.meta.url))

function run(
  kind: "pipe" | "file" | keyof typeof SCRIPTS,
  beside: "Perl" | "Node",
  extra: Record<string, string> = {},
  agent = AGENT,
) {
  const { path: folder, remove } = temporaryDirectory("chorus-pipes-")
  onTestFinished(remove)
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "codex"), agent)
  chmodSync(join(folder, "bin", "codex"), 0o755)
  writeFileSync(join(folder, "in"), randomBytes(3 * 1024 * 1024))
  const files = kind === "file" ? [openSync(join(folder, "in"), "r"), openSync(join(folder, "out"), "w")] : []
  const chorus = [process.execPath, beside === "Perl" ? CHORUS_MAIN : WITHOUT_PERL]
  const [command = "", ...args] =
    kind === "pipe" || kind === "file" ? [...chorus, "run", "codex"] : ["bash", "-c", SCRIPTS[kind], "bash", ...chorus]
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
      HOME: folder,
      CHORUS_CACHE: join(folder, "cache"),
      CHORUS_SOCK: join(folder, "s.sock"),
      ...extra,
    },
    stdio: [files[0] ?? "pipe", files[1] ?? "pipe", "pipe"],
  })
  for (const file of files) closeSync(file)
  onTestFinished(() => void child.kill("SIGKILL"))
  let text = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  return { child, folder, said: () => text, ended: once(child, "close") }
}

/** As a pager reads: a little, a pause, a little more, then the rest. */
async function slowly(output: NodeJS.ReadableStream | null): Promise<string> {
  const hash = createHash("sha256")
  let chunks = 0
  for await (const chunk of output ?? []) {
    hash.update(chunk)
    if (++chunks < 8) await pause(150)
  }
  return hash.digest("hex")
}

function sha(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex")
}
