import { ChorusError } from "@chorus/contracts"
import { isLoopbackUrl } from "@chorus/core"
import type { Configuration } from "openid-client"
import type { OidcClaims } from "./oidc-member.ts"
import type { OidcSettings } from "./oidc-settings.ts"

/** What must be remembered between sending a browser to the provider and its coming back. */
export interface OidcFlow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The provider, as the door uses it. The library and the provider's metadata are loaded when the first person comes. */
export class OidcProvider {
  readonly settings: OidcSettings
  #configuration: Promise<Configuration> | undefined

  constructor(settings: OidcSettings) {
    this.settings = settings
  }

  /** Where to send the browser. */
  async begin(redirectUri: string): Promise<{ url: URL; flow: OidcFlow }> {
    const client = await import("openid-client")
    const configuration = await this.#discover()
    const flow = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid email profile",
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    })
    return { url, flow }
  }

  /** Exchanges what the browser brought back for what the provider says about the person. */
  async finish(callback: URL, flow: OidcFlow): Promise<OidcClaims> {
    const client = await import("openid-client")
    const configuration = await this.#discover()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error("the provider sent no ID token")
      // Many providers keep the address out of the ID token and tell it only when asked.
      const about =
        claims["email"] === undefined
          ? { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) }
          : claims
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textOf(about["email"]),
        emailVerified: about["email_verified"] === true,
        name: textOf(about["name"]) ?? textOf(about["preferred_username"]),
      }
    } catch (error) {
      throw new ChorusError("oidc_failed", "The provider's answer was not accepted.", {
        status: 403,
        next: "Start the sign-in again from the sign-in page.",
        cause: error,
      })
    }
  }

  async #discover(): Promise<Configuration> {
    this.#configuration ??= this.#discoverAfresh()
    try {
      return await this.#configuration
    } catch (error) {
      this.#configuration = undefined
      throw new ChorusError("oidc_unavailable", "The OIDC provider does not answer.", {
        status: 503,
        next: "Try again in a moment, or sign in with a password or a one-time link.",
        cause: error,
      })
    }
  }

  async #discoverAfresh(): Promise<Configuration> {
    const client = await import("openid-client")
    const { issuer, clientId, clientSecret } = this.settings
    return client.discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      clientSecret === undefined ? client.None() : undefined,
      {
        timeout: 10,
        execute: isLoopbackUrl(issuer) ? [client.allowInsecureRequests] : [],
      },
    )
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}
