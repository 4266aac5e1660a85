const HERE = "http://here.invalid"

/** Where a sign-in link leads: a place on this page, never elsewhere. */
export function placeAfter(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/"
  if (!next.startsWith("/") || !URL.canParse(next, HERE)) return "/"
  // Read as a browser would: it takes backslashes for slashes and passes over tabs and line breaks.
  const { origin, pathname, search: query, hash } = new URL(next, HERE)
  return origin === HERE && !pathname.startsWith("//") ? pathname + query + hash : "/"
}
