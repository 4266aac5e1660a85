const SCHEMES = new Set(["https:", "http:", "ssh:", "git+ssh:", "ssh+git:", "file:"])

/** Why a git address may not be given to git. Anything git could read as an option or as a remote helper is refused. */
export function gitUrlFault(url: string): string | undefined {
  if (url.startsWith("-")) return "it reads as an option of git"
  if (!/^[\x21-\x7E\u00A1-\uFFFF]+$/.test(url)) return "it contains a space or control character"
  if (/^[A-Za-z0-9+.-]+::/.test(url)) return `"${url.split("::")[0]}::" starts a program`
  if (isScpForm(url)) return undefined
  if (!URL.canParse(url)) return "it is not a URL"
  const { protocol, hostname } = new URL(url)
  if (protocol === "git:") return "git:// is not encrypted"
  if (!SCHEMES.has(protocol)) return `"${protocol}" is not supported (https, http, ssh, user@host:path, file:///…)`
  if (protocol === "file:" && hostname !== "") return "a file:// address has no host"
  return hostname.startsWith("-") ? "the host reads as an option" : undefined
}

/** `user@host:path`, where neither host nor path can be taken for an option. */
export function isScpForm(url: string): boolean {
  return /^[A-Za-z0-9_.-]+@[A-Za-z0-9][A-Za-z0-9.-]*:(?!-)[^\s:][^\s]*$/.test(url)
}

/** Why a branch, tag or commit may not be used. */
export function refFault(ref: string): string | undefined {
  if (ref === "") return "it is empty"
  if (ref.startsWith("-")) return "it reads as an option of git"
  if (!/^[A-Za-z0-9._/+@-]+$/.test(ref)) return "it contains characters a ref cannot have"
  if (ref.includes("..") || ref.includes("@{") || ref.includes("//") || ref.endsWith("/") || ref.endsWith(".lock"))
    return "it is not a name git accepts"
  return undefined
}

/** Why `owner/repo` is not one. */
export function repoFault(repo: string): string | undefined {
  const match = /^([A-Za-z0-9][A-Za-z0-9-]*)\/([A-Za-z0-9._-]+)$/.exec(repo)
  if (match === null) return "it is not owner/repo"
  return /^\.+$/.test(match[2] ?? "") ? "the repository's name is only dots" : undefined
}

/** The address to clone for a GitHub shorthand. */
export function githubUrl(repo: string): string {
  return `https://github.com/${repo.replace(/\.git$/, "")}.git`
}

/** One spelling for addresses that mean the same repository, to compare them: host/path without user, scheme, `.git`. */
export function canonicalGitUrl(url: string): string {
  const scp = /^[^@/]+@([^:/]+):(.+)$/.exec(url)
  const text = scp === null ? url : `ssh://${scp[1]}/${scp[2]}`
  if (!URL.canParse(text)) return text.toLowerCase()
  const { protocol, host, pathname } = new URL(text)
  const path = pathname.replace(/\/+$/, "").replace(/\.git$/, "")
  return protocol === "file:" ? `file://${path}` : `${host.toLowerCase()}${path.toLowerCase()}`
}
