import { lookup as dnsLookup, type LookupAddress } from "node:dns"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"

/** Which hosts may be talked to although they are on this machine or in a private network. */
export interface NetworkPolicy {
  /** `host` or `host:port`, as a URL spells them. */
  readonly trusted: ReadonlySet<string>
  readonly offline: boolean
}

export function networkPolicy(env: NodeJS.ProcessEnv = process.env, more: Iterable<string> = []): NetworkPolicy {
  const listed = (env["CHORUS_PLUGIN_TRUSTED_HOSTS"] ?? "").split(/[\s,]+/).filter(Boolean)
  return { trusted: new Set([...listed, ...more]), offline: env["CHORUS_OFFLINE"] === "1" }
}

/** A policy that also trusts the host of an address the person typed themselves. */
export function trusting(policy: NetworkPolicy, url: string): NetworkPolicy {
  return URL.canParse(url) ? { ...policy, trusted: new Set([...policy.trusted, new URL(url).host]) } : policy
}

export interface HttpAnswer {
  readonly response: IncomingMessage
  readonly url: URL
}

interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly idleMs?: number
  readonly signal?: AbortSignal | undefined
}

const MOST_REDIRECTS = 5

/**
 * A GET that cannot be led astray: every hop is checked, by name and by the address it is connected to; a redirect never
 * leads to a private network or from https to http; credentials do not follow to another host.
 */
export async function httpGet(address: string, policy: NetworkPolicy, options: HttpOptions = {}): Promise<HttpAnswer> {
  if (policy.offline) throw offline(address)
  let url = new URL(address)
  let headers = { "user-agent": "chorus-plugins", ...options.headers }
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    checkHop(url, policy, hop > 0)
    const response = await send(url, policy, headers, options, hop > 0)
    const status = response.statusCode ?? 0
    const location = response.headers.location
    if (status < 300 || status >= 400 || location === undefined) return { response, url }
    response.destroy()
    const next = new URL(location, url)
    if (url.protocol === "https:" && next.protocol !== "https:") throw forbidden(next, "a redirect from https to http")
    if (next.host !== url.host) headers = { "user-agent": "chorus-plugins" }
    url = next
  }
  throw new ChorusError("network_redirects", `${address} redirects more than ${MOST_REDIRECTS} times.`, {
    status: 502,
    next: "Check the address.",
  })
}

/** Checks an address other programs (git) will connect to, by its text and by what its name resolves to. */
export async function checkHost(url: URL, policy: NetworkPolicy): Promise<void> {
  if (policy.offline) throw offline(url.href)
  checkHop(url, policy, false)
  if (isTrusted(url, policy) || hostReach(url.hostname) !== "named") return
  const found = await resolveAll(url.hostname)
  if (found.some(({ address }) => isLocalHost(address))) throw forbidden(url, "a name of this machine or its link")
}

function checkHop(url: URL, policy: NetworkPolicy, redirected: boolean): void {
  if (url.protocol !== "https:" && url.protocol !== "http:") throw forbidden(url, `the scheme ${url.protocol}`)
  if (isTrusted(url, policy)) return
  if (isLocalHost(url.hostname)) throw forbidden(url, "an address of this machine, its link or a metadata service")
  if (redirected && hostReach(url.hostname) === "private") throw forbidden(url, "a redirect into a private network")
}

/** Whether a host or address is this machine, its link or a metadata service, as far as the text alone tells. */
export function isLocalHost(host: string): boolean {
  return ["loopback", "link"].includes(hostReach(host))
}

function send(
  url: URL,
  policy: NetworkPolicy,
  headers: Record<string, string>,
  options: HttpOptions,
  redirected: boolean,
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        headers,
        lookup: guardedLookup(url, policy, redirected),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      resolve,
    )
    sent.setTimeout(options.idleMs ?? 30_000, () => sent.destroy(new Error("no answer")))
    sent.on("error", (error) => reject(error instanceof ChorusError ? error : unreachable(url, error)))
    sent.end()
  })
}

/** Judges the very addresses the connection will use, so that a name cannot change its mind after the check. */
function guardedLookup(url: URL, policy: NetworkPolicy, redirected: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, found) => {
      const first = found?.[0]
      if (error !== null || first === undefined)
        return callback(error ?? new Error(`${hostname} has no address`), "", 4)
      const bad = isTrusted(url, policy)
        ? undefined
        : found.find(({ address }) => (redirected ? hostReach(address) !== "public" : isLocalHost(address)))
      if (bad !== undefined) return callback(forbidden(url, `${hostname} is ${bad.address}`), "", 4)
      if (options.all === true)
        return (callback as unknown as (error: null, found: LookupAddress[]) => void)(null, found)
      callback(null, first.address, first.family)
    })
  }
}

function resolveAll(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve) =>
    dnsLookup(hostname, { all: true }, (error, found) => resolve(error === null ? found : [])),
  )
}

function isTrusted(url: URL, policy: NetworkPolicy): boolean {
  return policy.trusted.has(url.host) || policy.trusted.has(url.hostname)
}

function forbidden(url: URL, why: string): ChorusError {
  return new ChorusError("address_refused", `${url.origin} was not contacted: ${why}.`, {
    next: `If you trust it, set CHORUS_PLUGIN_TRUSTED_HOSTS=${url.host}.`,
  })
}

function offline(address: string): ChorusError {
  return new ChorusError("offline", `${address} is not in the cache, and Chorus is told to stay offline.`, {
    status: 503,
    next: "Unset CHORUS_OFFLINE, or install it while online first.",
  })
}

export function unreachable(url: URL | string, cause: unknown): ChorusError {
  const why =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? cause.name) : String(cause)
  return new ChorusError("error_network", `${String(url)} could not be reached: ${why}.`, {
    status: 503,
    next: "Check the connection and try again.",
    cause,
  })
}

/** Whether an error means "no network", so that what the cache holds may stand in. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof ChorusError && (error.code === "error_network" || error.code === "offline")
}
