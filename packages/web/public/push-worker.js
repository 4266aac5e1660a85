// Runs in the browser while no page may be open: shows what the server calls a person for, and leads to it.
self.addEventListener("push", (event) => {
  // What cannot be read says only that there is something; once is enough.
  const { title = "Chorus", body = "", tag = "chorus", path = "/" } = read(event.data)
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      renotify: true,
      icon: "/icon-192.png",
      data: { path },
    }),
  )
})

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
