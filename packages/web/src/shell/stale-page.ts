const STORED = "chorus.reloadedAt"
const AT_MOST_EVERY_MS = 30_000

/** After an upgrade a tab that was left open asks for code that is gone; loading the page anew finds the new code. */
export function startStaleCheck(): void {
  addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(STORED) ?? 0)
    if (Date.now() - last < AT_MOST_EVERY_MS) return
    event.preventDefault()
    sessionStorage.setItem(STORED, String(Date.now()))
    location.reload()
  })
}
