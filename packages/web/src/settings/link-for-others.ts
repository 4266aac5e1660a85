import { isLoopbackUrl } from "@chorus/core"

interface LinkForOthers {
  readonly href: string
  /** The host at which it was made, where only this machine reaches that. */
  readonly onlyAt?: string
}

/** An address of this server as somebody else opens it: the one it was told people type, else the one this page has. */
export function linkForOthers(path: string, origin = location.origin): LinkForOthers {
  const named = globalThis.document?.querySelector<HTMLMetaElement>("meta[name=chorus-address]")?.content ?? ""
  const { href, host } = new URL(path, URL.canParse(named) ? named : origin)
  return isLoopbackUrl(href) ? { href, onlyAt: host } : { href }
}
