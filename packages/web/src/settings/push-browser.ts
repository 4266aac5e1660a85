import { browserName } from "./browser-name.ts"

const WORKER = "/push-worker.js"

export type PushState = "on" | "off" | "refused" | "impossible"

/** What the server is told of a browser that may be called. */
export interface BrowserAddress {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  readonly browser?: string
}

export async function pushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return "impossible"
  if (Notification.permission === "denied") return "refused"
  return (await subscription()) === undefined ? "off" : "on"
}

/** Asks the person, and the browser's push service for an address; undefined where the person says no. */
export async function startPush(publicKey: string): Promise<BrowserAddress | undefined> {
  if ((await Notification.requestPermission()) !== "granted") return undefined
  await navigator.serviceWorker.register(WORKER)
  const registration = await navigator.serviceWorker.ready
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint = "", keys = {} } = made.toJSON()
  const browser = browserName(navigator.userAgent)
  return {
    endpoint,
    keys: { p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" },
    ...(browser === undefined ? {} : { browser }),
  }
}

/** Ends it in this browser; the address that is no more. */
export async function endPush(): Promise<string | undefined> {
  const made = await subscription()
  await made?.unsubscribe()
  return made?.endpoint
}

/** Forgets whom this browser may be called for, and what it was called for. */
export async function forgetCalls(): Promise<void> {
  if (!("serviceWorker" in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration(WORKER)
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close()
  await registration?.unregister()
  await caches.delete("calls-rung")
}

async function subscription(): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER)
  return (await registration?.pushManager.getSubscription()) ?? undefined
}
