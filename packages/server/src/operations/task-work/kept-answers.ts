import type { Db } from "@chorus/store"

const MOST_KEPT = 32

interface Kept<Answer> {
  readonly position: number
  readonly answer: Answer
}

/**
 * Answers that hold while the log stands still: whoever asks again before anything has happened gets the very same object, which the
 * doors have put into words already. For what depends on nothing but logged changes.
 */
export class KeptAnswers<Answer> {
  readonly #answers = new WeakMap<Db, Map<string, Kept<Answer>>>()

  async get(db: Db, key: string, position: number, find: () => Promise<Answer>): Promise<Answer> {
    const answers = this.#answers.get(db) ?? new Map<string, Kept<Answer>>()
    this.#answers.set(db, answers)
    const kept = answers.get(key)
    if (kept?.position === position) return kept.answer
    const answer = await find()
    answers.delete(key)
    answers.set(key, { position, answer })
    const [oldest] = answers.keys()
    if (answers.size > MOST_KEPT && oldest !== undefined) answers.delete(oldest)
    return answer
  }
}
