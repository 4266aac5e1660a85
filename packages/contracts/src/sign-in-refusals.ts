// Without zod: the page reads it, and a library that tries to evaluate text has no place there.
/** Why a provider's sign-in ended on `/sign-in?error=…`. */
export const SIGN_IN_REFUSALS = [
  "oidc_email_unverified",
  "oidc_not_a_member",
  "oidc_account_taken",
  "oidc_flow_lost",
  "oidc_failed",
  "oidc_unavailable",
  "person_disabled",
] as const
