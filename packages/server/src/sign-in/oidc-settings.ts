import { ChorusError, Role } from "@chorus/contracts"
import { isLoopbackUrl } from "@chorus/core"
import { z } from "zod"

/** How this workspace signs people in through an OpenID Connect provider. */
export const OidcSettings = z.object({
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(isSafeIssuer, "must be https, unless the provider runs on this machine"),
  clientId: z.string().min(1),
  /** Only for clients registered as confidential; PKCE is used either way. */
  clientSecret: z.string().min(1).optional(),
  /** What the button on the sign-in page says. */
  name: z.string().min(1).default("single sign-on"),
  /** People with a verified address in these domains join by themselves; everybody else must have been invited. */
  domains: z
    .array(
      z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[a-z0-9.-]+\.[a-z]{2,}$/, "must be a domain such as example.com"),
    )
    .default([]),
  /** What people who join by themselves become. */
  role: Role.exclude(["owner"]).default("member"),
  /** For providers that do not say whether an address is verified but vouch for all of theirs. */
  trustEmail: z.boolean().default(false),
})
export type OidcSettings = z.infer<typeof OidcSettings>
export type OidcOptions = z.input<typeof OidcSettings>

/** The settings given by the caller, else those of the environment; undefined when there are none. */
export function oidcSettings(
  options: OidcOptions | undefined,
  environment: NodeJS.ProcessEnv,
): OidcSettings | undefined {
  const given = options ?? fromEnvironment(environment)
  if (given === undefined) return undefined
  const parsed = OidcSettings.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")
  throw new ChorusError("oidc_misconfigured", `The OIDC settings do not fit: ${faults}.`, {
    next: "Correct CHORUS_OIDC_ISSUER, CHORUS_OIDC_CLIENT_ID and their companions, or unset them all.",
  })
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Record<string, unknown> | undefined {
  const value = (name: string) => environment[`CHORUS_OIDC_${name}`] || undefined
  const given = {
    issuer: value("ISSUER"),
    clientId: value("CLIENT_ID"),
    clientSecret: value("CLIENT_SECRET"),
    name: value("NAME"),
    domains: value("DOMAINS")
      ?.split(",")
      .filter((domain) => domain.trim() !== ""),
    role: value("ROLE"),
    trustEmail: value("TRUST_EMAIL") === undefined ? undefined : value("TRUST_EMAIL") === "1",
  }
  return Object.values(given).every((one) => one === undefined) ? undefined : given
}

function isSafeIssuer(text: string): boolean {
  return text.startsWith("https:") || isLoopbackUrl(text)
}
