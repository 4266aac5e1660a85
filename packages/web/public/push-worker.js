// Runs in the browser while no page may be open: shows what the server calls a person for, and leads to it.

/** Where the marks of the last calls are kept; the page empties it when this browser changes hands. */
const RUNG = "calls-rung"
const MOST_RUNG = 100

// One after another: a call that came twice at once would be new to both.
self.addEventListener("push", (event) =>
  event.waitUntil(self.navigator.locks.request(RUNG, () => call(read(event.data)))),
)

// What cannot be read says only that there is something; once is enough.
async function call({ title = "Chorus", body = "", tag = "chorus", path = "/", mark }) {
  const rang = await hasRung(mark)
  await self.registration.showNotification(title, {
    body,
    tag,
    // A browser wants every message shown. One whose server died before it noted that it was taken comes again, and is shown in silence.
    renotify: !rang,
    silent: rang,
    icon: "/icon-192.png",
    data: { path },
  })
  if (!rang) await keep(mark)
}

async function hasRung(mark) {
  const rung = await marks(mark)
  return (await rung?.match(placeOf(mark))) !== undefined
}

async function keep(mark) {
  const rung = await marks(mark)
  await rung?.put(placeOf(mark), new Response())
  for (const old of (await rung?.keys())?.slice(0, -MOST_RUNG) ?? []) await rung.delete(old)
}

/** Where nothing can be kept, one ring too many is better than none. */
function marks(mark) {
  return typeof mark === "string" ? self.caches.open(RUNG).catch(() => undefined) : undefined
}

function placeOf(mark) {
  return `/${RUNG}/${encodeURIComponent(mark)}`
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.path))
})

/** Nothing but a place on this page's own server is gone to. */
async function open(path) {
  const { origin } = self.location
  const wanted = typeof path === "string" && URL.canParse(path, origin) ? new URL(path, origin) : new URL("/", origin)
  const target = wanted.origin === origin ? wanted.href : origin
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  if (page === undefined) return self.clients.openWindow(target)
  await page.focus()
  return page.navigate(target).catch(() => self.clients.openWindow(target))
}

function read(data) {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}
