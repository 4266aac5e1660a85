/** Something that is not as it should be. `repair` is there when it can be put right without losing anything. */
export interface Finding {
  readonly team: string
  readonly what: "lock" | "leftover" | "damaged" | "link" | "ghost" | "no_lead" | "crowded" | "unsafe"
  readonly where: string
  readonly says: string
  readonly repair?: (() => Promise<void>) | undefined
}
