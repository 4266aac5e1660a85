/** The little that tests use of a package that ships no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  export interface ProviderContext {
    oidc: {
      client: { clientId: string }
      session: { accountId: string; grantIdFor(clientId: string): string | undefined }
      params: { scope: string }
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: {
      new (grant: { clientId: string; accountId: string }): {
        addOIDCScope(scope: string): void
        save(): Promise<string>
      }
      find(id: string): Promise<object | undefined>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
