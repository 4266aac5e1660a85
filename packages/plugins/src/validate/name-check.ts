import type { FindingFile, Report } from "./report.ts"

/** Each half of a plugin id `name@marketplace`. */
export const ID_PART = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
// oxlint-disable-next-line no-control-regex -- these are exactly the characters that must not be in a name
export const INVISIBLE = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\u061C]/

/** Marketplace names only Anthropic's own repositories may use. */
export const OFFICIAL_MARKETPLACES: ReadonlySet<string> = new Set([
  "claude-code-marketplace",
  "claude-code-plugins",
  "claude-plugins-official",
  "anthropic-marketplace",
  "anthropic-plugins",
  "agent-skills",
  "anthropic-agent-skills",
  "life-sciences",
  "knowledge-work-plugins",
  "claude-for-legal",
  "claude-for-financial-services",
  "financial-services-plugins",
  "first-party-plugins",
  "claude-tag-plugins",
  "claude-community",
  "claude-plugins-community",
  "healthcare",
  "anthropic-plugin-directory",
  "claude-plugin-directory",
])
/** Origins that are not marketplaces; a catalogue with such a name could pass as one of them. */
export const RESERVED_ORIGINS: ReadonlySet<string> = new Set([
  "inline",
  "builtin",
  "skills-dir",
  "synced",
  "claude-plugin-test",
])
/** Reserved by the documentation; the real program of today lets them pass. */
export const DOCUMENTED_RESERVED: ReadonlySet<string> = new Set(["npm", "pip", "uv", "cargo", "gh", "github"])
const DESKTOP_RESERVED = new Set(["org", "org-provisioned", "unknown"])

export function isIdPart(name: string): boolean {
  return ID_PART.test(name) && !name.includes("..")
}

/** Whether a plugin's name passes as one of Anthropic's own: `reserved` is refused, `close` is only warned about. */
export function impersonation(name: string): "reserved" | "close" | undefined {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const folded = words.join("-")
  const starts = ["claude-", "anthropic-", "anthropics-", "cc-plugin-"].some(
    (prefix) => `${folded}-`.startsWith(prefix) && folded.length >= prefix.length,
  )
  const is = ["claude", "anthropic", "anthropics", "claude-code", "claude-mods"].includes(folded)
  const official = words.some(
    (word, index) => word === "official" && [words[index - 1], words[index + 1]].some(isBrand),
  )
  if (starts || is || official) return "reserved"
  return words.some(isBrand) ? "close" : undefined
}

/** Whether a marketplace's name imitates an official one. */
export function imitatesOfficial(name: string): boolean {
  const lower = name.toLowerCase()
  if (OFFICIAL_MARKETPLACES.has(lower)) return false
  if (/[^\u0020-\u007E]/.test(name)) return true
  if (/^(claude|anthropic)[^a-z0-9]*(plugins|marketplace)/.test(lower)) return true
  return /(claude|anthropic)[^a-z0-9]*official|official[^a-z0-9]*(claude|anthropic)/.test(lower)
}

/** Checks the `name` of a plugin.json. */
export function checkPluginName(
  report: Report,
  file: FindingFile,
  name: unknown,
  options: { official: boolean },
): void {
  const path = ["name"]
  if (typeof name !== "string") {
    report.error(file, {
      code: "name_missing",
      path,
      message: `The plugin needs a name; got ${name === undefined ? "none" : typeof name}.`,
      fix: 'Add "name": "my-plugin".',
    })
    return
  }
  if (name === "") return report.error(file, { code: "name_empty", path, message: "The plugin's name is empty." })
  if (INVISIBLE.test(name))
    return report.error(file, {
      code: "name_invisible",
      path,
      message: "The name contains a line break, a control or a text-direction character.",
      fix: "Use letters, digits and hyphens.",
    })
  if (name.includes(" "))
    return report.error(file, {
      code: "name_space",
      path,
      message: `The name "${name}" contains a space.`,
      fix: `Write it in kebab-case: "${kebab(name)}".`,
    })
  checkImpersonation(report, file, path, name, options.official)
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return
  const loads = isIdPart(name)
    ? "It loads, but the claude.ai sync takes kebab-case only."
    : "A marketplace cannot list it under this name and it cannot be loaded by path."
  report.warning(file, {
    code: "name_not_kebab",
    path,
    message: `The name "${name}" is not kebab-case. ${loads}`,
    fix: `Use "${kebab(name)}".`,
  })
}

export function checkImpersonation(
  report: Report,
  file: FindingFile,
  path: (string | number)[],
  name: string,
  official: boolean,
): void {
  const kind = official ? undefined : impersonation(name)
  if (kind === "reserved") {
    report.error(file, {
      code: "name_reserved",
      path,
      message: `The name "${name}" passes as one of Anthropic's own plugins.`,
      fix: "Name it for what it does, without claude or anthropic in front.",
    })
  }
  if (kind === "close") {
    report.warning(file, {
      code: "name_close_to_reserved",
      path,
      message: `The name "${name}" reads as one of Anthropic's own plugins.`,
      fix: "Name it for what it does.",
    })
  }
}

export function checkMarketplaceName(report: Report, file: FindingFile, name: unknown): void {
  const path = ["name"]
  if (typeof name !== "string")
    return report.error(file, {
      code: "name_missing",
      path,
      message: "The marketplace needs a name.",
      fix: 'Add "name": "my-marketplace".',
    })
  if (name === "") return report.error(file, { code: "name_empty", path, message: "The marketplace's name is empty." })
  if (name.includes(" "))
    report.error(file, {
      code: "name_space",
      path,
      message: `The name "${name}" contains a space.`,
      fix: `Use "${kebab(name)}".`,
    })
  if (INVISIBLE.test(name))
    report.error(file, {
      code: "name_invisible",
      path,
      message: "The name contains a line break, a control or a text-direction character.",
    })
  if (RESERVED_ORIGINS.has(name.toLowerCase()))
    report.error(file, {
      code: "name_reserved",
      path,
      message: `The name "${name}" is reserved: it stands for plugins that come from no marketplace.`,
      fix: "Choose another name.",
    })
  if (imitatesOfficial(name))
    report.error(file, {
      code: "name_impersonates",
      path,
      message: `The name "${name}" imitates an official Anthropic marketplace.`,
      fix: "Choose a name of your own.",
    })
  if (!isIdPart(name))
    report.error(file, {
      code: "name_not_an_id",
      path,
      message: `Nothing can be installed from "${name}": each half of plugin@marketplace takes letters, digits, ".", "_" and "-", and starts with a letter or digit.`,
    })
  if (name.length > 128)
    report.warning(file, {
      code: "name_long",
      path,
      message: "The name is longer than 128 characters; Claude Desktop does not accept it.",
    })
  if (DESKTOP_RESERVED.has(name))
    report.warning(file, {
      code: "name_desktop_reserved",
      path,
      message: `The name "${name}" is reserved in Claude Desktop, whose sync will refuse it.`,
    })
  if (DOCUMENTED_RESERVED.has(name))
    report.note(file, {
      code: "name_documented_reserved",
      path,
      message: `The name "${name}" is documented as reserved; \`chorus plugin marketplace add\` refuses it unless told otherwise.`,
      fix: "Choose another name.",
    })
}

/** A name as it would be written in kebab-case. */
export function kebab(name: string): string {
  return (
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || "my-plugin"
  )
}

function isBrand(word: string | undefined): boolean {
  return word === "claude" || word === "anthropic" || word === "anthropics"
}
