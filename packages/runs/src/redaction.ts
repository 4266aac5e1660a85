/** What is a secret by its look, whoever it belongs to; the text is JSON, where a line's end is a letter too. */
const SHAPES =
  /(?:(?<=\\[nrt])|(?<!\w))(sk-[A-Za-z0-9_-]{20,}|gh[opsu]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|AKIA[0-9A-Z]{16}|xox[abpr]-[\w-]{10,}|cho_[\w-]{20,})/g
const BLOT = "•••"
const SHORTEST = 8
const SECRET = /KEY|TOKEN|SECRET|PASSWORD/

/** What of an environment is a secret by its name. */
export function secretsIn(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []))
}

/** Blots out the secrets a run was given, and what looks like one, wherever they stand in a value. */
export function redaction(secrets: readonly string[]): <T>(value: T) => T {
  const texts = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .map((secret) => JSON.stringify(secret).slice(1, -1))
  return <T>(value: T): T => {
    const text = JSON.stringify(value)
    if (text === undefined) return value
    const blotted = texts.reduce((all, secret) => all.replaceAll(secret, BLOT), text).replaceAll(SHAPES, BLOT)
    return blotted === text ? value : (JSON.parse(blotted) as T)
  }
}
