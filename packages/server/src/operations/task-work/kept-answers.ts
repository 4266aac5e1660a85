import type { Db } from "@chorus/store"

export interface Kept<Answer> {
  readonly position: number
  readonly answer: Answer
}

/**
 * Answers that hold while the log stands still: whoever asks again before anything has happened gets the very same object, which the
 * doors have put into words already. For what depends on nothing but logged changes; what has happened since may be all there is to look at.
 */
export class KeptAnswers<Answer> {
  readonly #answers = new WeakMap<Db, Map<string, Kept<Answer>>>()
  readonly #finding = new WeakMap<Db, Map<string, Promise<Answer>>>()
  readonly #most: number

  constructor(most = 32) {
    this.#most = most
  }

  /** `find` is told the answer of before and how far the log had come then, and is asked once at a time for a key. */
  async get(
    db: Db,
    key: string,
    position: number,
    find: (before: Kept<Answer> | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const answers = mapIn(this.#answers, db)
    const finding = mapIn(this.#finding, db)
    for (let others = finding.get(key); others !== undefined; others = finding.get(key))
      await others.catch(() => undefined)
    const kept = answers.get(key)
    if (kept?.position === position) return kept.answer
    // A log that is shorter than it was is another one: a database that failed over may have lost its end.
    const found = find(kept !== undefined && kept.position < position ? kept : undefined)
    finding.set(key, found)
    try {
      const answer = await found
      answers.delete(key)
      answers.set(key, { position, answer })
      const [oldest] = answers.keys()
      if (answers.size > this.#most && oldest !== undefined) answers.delete(oldest)
      return answer
    } finally {
      finding.delete(key)
    }
  }
}

function mapIn<Value>(maps: WeakMap<Db, Map<string, Value>>, db: Db): Map<string, Value> {
  const map = maps.get(db) ?? new Map<string, Value>()
  maps.set(db, map)
  return map
}
