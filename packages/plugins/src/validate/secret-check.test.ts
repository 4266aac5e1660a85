import { closeSync, openSync, truncateSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { Report } from "./report.ts"
import { checkSecrets } from "./secret-check.ts"

const scratch = useFolder()
const letters = (count: number) => "aB3d".repeat(Math.ceil(count / 4)).slice(0, count)

/** Credentials are put together here, so that none stands in this file. */
const SECRETS: readonly (readonly [string, string])[] = [
  ["an Anthropic key", `sk-${"ant-api03-"}${letters(40)}`],
  ["an OpenAI key", `sk-${"proj-"}${letters(48)}`],
  ["a GitHub token", `${"gho_"}${letters(36)}`],
  ["a GitHub token", `${"github_pat_"}${letters(60)}`],
  ["an AWS access key", `${"AKIA"}${letters(16).toUpperCase()}`],
  ["a Slack token", `${"xoxb-"}${letters(24)}`],
  ["a Google API key", `${"AIza"}${letters(35)}`],
  ["an npm token", `${"npm_"}${letters(36)}`],
  ["a Stripe key", `${"sk_live_"}${letters(24)}`],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----".replace(" RSA ", " OPENSSH ")],
]

function found(tree: Record<string, unknown>) {
  const report = new Report()
  checkSecrets(report, scratch.write(tree))
  return report.messages.map(
    ({ level, file, line, message }) =>
      `${level} ${file}:${line ?? 0} ${/looks like (.*);/.exec(message)?.[1] ?? message}`,
  )
}

describe("a credential in a plugin", () => {
  it.each(SECRETS)("is found: %s", (what, secret) => {
    expect(found({ "src/x.py": `# one\n# two\nKEY = "${secret}"\n` })).toEqual([`warning src/x.py:3 ${what}`])
  })

  it.each([
    ["a short key", "sk-abc"],
    ["a name of one", "GITHUB_TOKEN=ghp_"],
    ["a variable", "${user_config.api_key}"],
    ["a public key", "-----BEGIN PUBLIC KEY-----"],
    ["a hash", "0123456789abcdef".repeat(4)],
  ])("is not seen in %s", (_what, text) => {
    expect(found({ "x.md": text })).toEqual([])
  })

  it("is told once a file, the first kind that is found", () => {
    const all = SECRETS.map(([, secret]) => secret).join("\n")
    expect(found({ "a.txt": all, "b.txt": all })).toHaveLength(2)
  })

  it("never stands in what is told", () => {
    const report = new Report()
    checkSecrets(report, scratch.write({ "x.env": SECRETS.map(([, secret]) => secret).join("\n") }))
    for (const [, secret] of SECRETS) expect(JSON.stringify(report.messages)).not.toContain(secret)
  })

  it("is not looked for in packages, history, pictures and huge files", () => {
    const [, secret] = SECRETS[2] ?? []
    const tree = {
      "node_modules/x/i.js": secret,
      "deep/node_modules/y.js": secret,
      ".git/config": secret,
      "logo.PNG": secret,
      "big.txt": secret,
    }
    scratch.write(tree)
    truncateSync(scratch.at("big.txt"), 512 * 1024 + 1)
    const report = new Report()
    checkSecrets(report, scratch.path)
    expect(report.messages).toEqual([])
  })

  it("is found behind any number of packages and of objects of the history", () => {
    for (const folder of [scratch.folder("node_modules"), scratch.folder(".git")])
      for (let index = 0; index < 1_050; index += 1) closeSync(openSync(`${folder}/${index}`, "w"))
    expect(found({ "z.txt": SECRETS[2]?.[1] })).toEqual(["warning z.txt:1 a GitHub token"])
  })

  it("is not looked for through a link", () => {
    scratch.write({ "real.pdf": SECRETS[2]?.[1] })
    scratch.link("link.txt", "real.pdf")
    expect(found({})).toEqual([])
  })
})
