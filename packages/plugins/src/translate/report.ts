import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

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

/** What would come along and what would not. Nothing is written before `write`. */
export interface TranslationReport {
  readonly plugin: string
  readonly target: "codex" | "opencode"
  readonly folder: string
  readonly carried: readonly CarriedPart[]
  readonly lost: readonly LostPart[]
  write(): void
}

/** Collects as it goes. */
export class Translation {
  readonly carried: CarriedPart[] = []
  readonly lost: LostPart[] = []
  readonly #taken = new Map<string, string>()
  readonly #steps: (() => void)[] = []

  /** Takes a name for a part. False, and the part is lost, when another part has it: two names may fold to one. */
  take(name: string, part: string): boolean {
    const holder = this.#taken.get(name)
    if (holder !== undefined) this.lose(part, `it would have the same name as ${holder}`)
    else this.#taken.set(name, part)
    return holder === undefined
  }

  carry(part: string, as: string, note?: string): void {
    this.carried.push({ part, as, ...(note === undefined ? {} : { note }) })
  }

  lose(part: string, why: string): void {
    this.lost.push({ part, why })
  }

  /** Something to write once the person has seen what comes along and what does not. */
  later(step: () => void): void {
    this.#steps.push(step)
  }

  /** A file of ours; a link in its place is replaced, not followed. */
  write(file: string, text: string): void {
    this.later(() => {
      mkdirSync(dirname(file), { recursive: true })
      rmSync(file, { force: true })
      writeFileSync(file, text)
    })
  }

  report(plugin: string, target: TranslationReport["target"], folder: string): TranslationReport {
    const write = () => this.#steps.forEach((step) => step())
    return { plugin, target, folder, carried: this.carried, lost: this.lost, write }
  }
}
