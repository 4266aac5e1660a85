/** Where a sign-in link leads: a place on this page, never elsewhere. */
export function placeAfter(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/"
  return /^\/(?![/\\])/.test(next) ? next : "/"
}
