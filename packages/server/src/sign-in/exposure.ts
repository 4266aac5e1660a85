import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"
import type { Db } from "@chorus/store"

/** Refuses to listen beyond this machine while nobody could prove who they are. */
export async function assertSafeToExpose(db: Db, host: string, hasOidc: boolean): Promise<void> {
  if (hostReach(host) === "loopback" || hasOidc) return
  const person = await db
    .selectFrom("users")
    .select("uuid")
    .where("passwordHash", "is not", null)
    .where("email", "is not", null)
    .where("disabledAt", "is", null)
    .limit(1)
    .executeTakeFirst()
  if (person !== undefined) return
  throw new ChorusError(
    "insecure_bind",
    `Chorus does not listen on ${host} while nobody has a password and no OIDC provider is set.`,
    {
      next:
        "Start once without --host, open the sign-in link, and set your e-mail and a password under Settings → Profile; " +
        "or set CHORUS_OIDC_ISSUER and CHORUS_OIDC_CLIENT_ID. Then start with --host again.",
      details: { host },
    },
  )
}
