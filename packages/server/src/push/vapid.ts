import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto"
import type { Db } from "@chorus/store"

const NAME = "vapid"
const HOURS_12 = 12 * 3600

/** The key by which push services know this installation (RFC 8292). */
export interface Vapid {
  /** The public key as browsers take it: an uncompressed point in base64url. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** Made when it is first needed, and kept with the secrets that every server on this store shares. */
export async function ensureVapid(db: Db): Promise<Vapid> {
  const kept = await findVapid(db)
  if (kept !== undefined) return kept
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const value = JSON.stringify(privateKey.export({ format: "jwk" }))
  await db
    .insertInto("sharedSecrets")
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findVapid(db)) ?? vapidOf(value)
}

export async function findVapid(db: Db): Promise<Vapid | undefined> {
  const row = await db.selectFrom("sharedSecrets").select("value").where("name", "=", NAME).executeTakeFirst()
  return row === undefined ? undefined : vapidOf(row.value)
}

/** The Authorization header for one push service: who sends, to whom, until when. */
export function vapidHeader({ publicKey, privateKey }: Vapid, endpoint: string, subject: string, now: Date): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now.getTime() / 1000) + HOURS_12, sub: subject }
  const body = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`
  const signature = sign("sha256", Buffer.from(body), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString(
    "base64url",
  )
  return `vapid t=${body}.${signature}, k=${publicKey}`
}

function vapidOf(text: string): Vapid {
  const privateKey = createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: "jwk" })
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const publicKey = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString(
    "base64url",
  )
  return { publicKey, privateKey }
}
