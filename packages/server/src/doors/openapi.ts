import type { Signature } from "@chorus/contracts"
import { z } from "zod"
import type { Registry } from "../registry.ts"
import { SIGN_IN_COOKIE } from "../sign-in/cookie.ts"
import { VERSION } from "../version.ts"

/** OpenAPI 3.1 of every operation, made from the registry. */
export function openApi(registry: Registry): object {
  const paths = Object.fromEntries(
    registry.signatures().map((signature) => [`/api/v1/${signature.name}`, pathItem(signature)]),
  )
  return {
    openapi: "3.1.0",
    info: {
      title: "Chorus",
      version: VERSION,
      description: "Every operation of the platform. Reads also answer GET with query parameters.",
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }, { signIn: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An agent's API key, cho_…" },
        signIn: { type: "apiKey", in: "cookie", name: SIGN_IN_COOKIE },
      },
      schemas: {
        Error: {
          type: "object",
          properties: {
            error: {
              type: "object",
              properties: {
                code: { type: "string" },
                message: { type: "string" },
                next: { type: "string" },
                details: { type: "object" },
              },
              required: ["code", "message"],
            },
          },
        },
      },
    },
  }
}

function pathItem(signature: Signature): object {
  const post = {
    operationId: signature.name,
    summary: signature.does,
    tags: [signature.kind],
    "x-needs": signature.needs,
    ...(signature.needs === "nobody" ? { security: [] } : {}),
    requestBody: { required: false, content: { "application/json": { schema: inputSchema(signature) } } },
    ...(signature.kind === "write"
      ? {
          parameters: [
            {
              name: "Idempotency-Key",
              in: "header",
              schema: { type: "string" },
              description: "A retry with the same key returns the first answer.",
            },
          ],
        }
      : {}),
    responses: {
      "200": {
        description: "The answer.",
        headers: {
          "Chorus-Position": {
            schema: { type: "integer" },
            description:
              "A place in the event log. A read holds everything up to it; a write is in the log up to it. Left out where the log says nothing of the write.",
          },
        },
        content: { "application/json": { schema: outputSchema(signature) } },
      },
      default: {
        description: "What went wrong and what to do next.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  }
  return { post }
}

/** Says that fields nobody knows are refused, at every depth. */
function inputSchema({ input, open }: Signature): object {
  const { $schema: _, ...rest } = z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (open !== true && jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false
    },
  })
  return rest
}

function outputSchema({ output }: Signature): object {
  const { $schema: _, ...rest } = z.toJSONSchema(output, { unrepresentable: "any" })
  return rest
}
