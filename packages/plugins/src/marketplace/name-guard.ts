import { ChorusError, type MarketplaceSource } from "@chorus/contracts"
import { canonicalGitUrl } from "../fetch/index.ts"
import {
  DOCUMENTED_RESERVED,
  imitatesOfficial,
  impersonation,
  isIdPart,
  OFFICIAL_MARKETPLACES,
  RESERVED_ORIGINS,
} from "../validate/name-check.ts"

/** Refuses a marketplace whose name is reserved or made to be mistaken for another. Checked on adding and on every refresh. */
export function guardMarketplaceName(
  name: string,
  source: MarketplaceSource,
  options: { allowReserved: boolean },
): void {
  if (!isIdPart(name)) throw refuse(name, 'it may hold letters, digits, ".", "_" and "-" only', "name_invalid")
  const lower = name.toLowerCase()
  if (RESERVED_ORIGINS.has(lower) || lower.startsWith("claudeai-"))
    throw refuse(name, "the name is reserved for plugins that come from no marketplace")
  if (OFFICIAL_MARKETPLACES.has(lower)) {
    if (isAnthropics(source)) return
    throw refuse(name, "only Anthropic's own repositories may use this name")
  }
  if (
    imitatesOfficial(name) ||
    imitatesOfficial(skeleton(name)) ||
    OFFICIAL_MARKETPLACES.has(respelt(name)) ||
    OFFICIAL_MARKETPLACES.has(skeleton(name))
  )
    throw refuse(name, "it imitates an official Anthropic marketplace")
  if (DOCUMENTED_RESERVED.has(lower) && !options.allowReserved)
    throw refuse(name, "the name is documented as reserved; set CHORUS_ALLOW_RESERVED_NAMES=1 if you know it is right")
}

/** Refuses a plugin name that only looks like one of Anthropic's: `c1aude-code`. */
export function guardPluginName(name: string, marketplace: string): void {
  if (OFFICIAL_MARKETPLACES.has(marketplace)) return
  const looks = skeleton(name)
  if (looks === name.toLowerCase() || impersonation(looks) !== "reserved" || impersonation(name) === "reserved") return
  throw new ChorusError("name_lookalike", `The plugin "${name}" is made to look like "${looks}".`, {
    status: 403,
    next: "Do not install it; tell the marketplace's owner.",
  })
}

/** A name with the characters replaced that are drawn to be read as others. */
export function skeleton(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("0", "o")
    .replaceAll("1", "l")
    .replaceAll("3", "e")
    .replaceAll("5", "s")
}

/** Another spelling of an official name: a trailing dot, or some other symbol for `-`; `_` is let through as today. */
function respelt(name: string): string {
  const folded = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  return folded === name.toLowerCase() ? "" : folded
}

function isAnthropics(source: MarketplaceSource): boolean {
  if (source.source === "github") return source.repo.toLowerCase().startsWith("anthropics/")
  return source.source === "git" && canonicalGitUrl(source.url).startsWith("github.com/anthropics/")
}

function refuse(name: string, why: string, code = "name_refused"): ChorusError {
  return new ChorusError(code, `A marketplace called "${name}" was not added: ${why}.`, {
    status: 403,
    next: "Ask its owner to choose a name of their own.",
  })
}
