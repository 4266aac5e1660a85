/** What looks like a secret and like nothing else. */
const TOKENS: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{50,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}\b/g,
  /\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{32,}\b/g,
  /\b[rs]k_live_[A-Za-z0-9]{20,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bchorus_[a-z]*_?[A-Za-z0-9_-]{32,}\b/g,
]
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\r?\n[ +-]?[A-Za-z0-9+/=]{16,})+/g
const ASSIGNED =
  /^([ +-]?(?:export )?[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|API_?KEY)[A-Z0-9_]*[ \t]*=[ \t]*["']?)[^\s"'$]{8,}/gm
const REDACTED = "[redacted]"

/** The text of a file or its patch without obvious secrets; one that has none stays as it is. */
export function withoutSecrets(path: string, text: string): string {
  let clean = text.replace(PRIVATE_KEY, (key) => key.replaceAll(/^([ +-]?)[A-Za-z0-9+/=]{16,}/gm, `$1${REDACTED}`))
  for (const token of TOKENS) clean = clean.replace(token, REDACTED)
  return /(^|\/)\.env(\.|$)/.test(path) ? clean.replace(ASSIGNED, `$1${REDACTED}`) : clean
}
