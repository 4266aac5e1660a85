import { statSync } from "node:fs"
import { join } from "node:path"
import { listFiles, readText } from "../read/files.ts"
import type { Report } from "./report.ts"

/** Shapes that are credentials and nothing else; each is anchored enough not to catch prose. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ["an Anthropic key", /\bsk-ant-(?:api|oat)\d{2}-[\w-]{24,}/],
  ["an OpenAI key", /\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a Slack token", /\bxox[abposr]-[A-Za-z0-9-]{20,}/],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}\b/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ["a private key", /-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY(?: BLOCK)?-----/],
]
const LARGEST = 512 * 1024
const MOST = 2_000
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"])
const BINARY = /\.(png|jpe?g|gif|ico|webp|woff2?|ttf|zip|gz|tgz|mcpb|dxt|wasm|so|dylib|exe|pdf|mp4|node)$/i

/** Warns about credentials that everyone who installs the plugin would receive. */
export function checkSecrets(report: Report, root: string): void {
  const shipped = listFiles(root, "", SKIPPED).filter((name) => !BINARY.test(name))
  for (const name of shipped.slice(0, MOST)) {
    if (statSync(join(root, name)).size > LARGEST) continue
    const text = readText(join(root, name)) ?? ""
    for (const [what, pattern] of SECRETS) {
      const match = pattern.exec(text)
      if (match === null) continue
      report.warning(
        { file: name, text },
        {
          code: "secret_in_file",
          offset: match.index,
          message: `This looks like ${what}; everyone who installs the plugin can read it.`,
          fix: "Revoke it, remove it, and use a sensitive userConfig option.",
        },
      )
      break
    }
  }
}
