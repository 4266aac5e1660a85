import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider, type ProviderContext } from "oidc-provider"

export interface Person {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface IdentityProvider {
  readonly issuer: string
  /** Who there are, by subject. */
  readonly people: Map<string, Person>
  /** Who signs in when a browser comes by; undefined refuses. */
  present: string | undefined
  /** Registers the applications; each may be sent back to one address. */
  serve(redirectUri: string): void
  close(): Promise<void>
}

export const PUBLIC_CLIENT = { clientId: "chorus-public" }
export const SECRET_CLIENT = { clientId: "chorus-secret", clientSecret: "a made-up secret of sufficient length" }

/** A real OpenID Connect provider on loopback whose login page answers for whoever is present. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const http = createServer((request, response) => listener(request, response))
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const idp: IdentityProvider = {
    issuer,
    people: new Map(),
    present: undefined,
    serve: (redirectUri) => {
      listener = listenerFor(idp, redirectUri)
    },
    close: async () => {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
  return idp
}

function listenerFor(idp: IdentityProvider, redirectUri: string): RequestListener {
  const application = { redirect_uris: [redirectUri], grant_types: ["authorization_code"], response_types: ["code"] }
  const provider = new Provider(idp.issuer, {
    clients: [
      { ...application, client_id: PUBLIC_CLIENT.clientId, token_endpoint_auth_method: "none" },
      {
        ...application,
        client_id: SECRET_CLIENT.clientId,
        client_secret: SECRET_CLIENT.clientSecret,
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["made up for tests"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/login" },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 600 },
    pkce: { required: () => true },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...idp.people.get(accountId) }),
    }),
    loadExistingGrant: async ({ oidc }: ProviderContext) => {
      const known = oidc.session.grantIdFor(oidc.client.clientId)
      if (known !== undefined) return provider.Grant.find(known)
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(oidc.params.scope)
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  return (request, response) => {
    if (request.url !== "/login") return callback(request, response)
    const result = idp.present === undefined ? { error: "access_denied" } : { login: { accountId: idp.present } }
    void provider.interactionFinished(request, response, result)
  }
}
