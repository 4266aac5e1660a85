/** What became of one part of a plugin in another program. */
export interface CarriedPart {
  readonly part: string
  readonly as: string
  readonly note?: string | undefined
}

export interface LostPart {
  readonly part: string
  readonly why: string
}

export interface TranslationReport {
  readonly plugin: string
  readonly target: "codex" | "opencode"
  readonly folder: string
  readonly carried: readonly CarriedPart[]
  readonly lost: readonly LostPart[]
}

/** Collects as it goes. */
export class Translation {
  readonly carried: CarriedPart[] = []
  readonly lost: LostPart[] = []

  carry(part: string, as: string, note?: string): void {
    this.carried.push({ part, as, ...(note === undefined ? {} : { note }) })
  }

  lose(part: string, why: string): void {
    this.lost.push({ part, why })
  }
}
