import type { AgentSession } from "./agent-session.ts"
import type { Transcript } from "./transcript.ts"

export interface WordsAheadOptions {
  /** What was said before this runner had the run. */
  readonly earlier: readonly string[]
  readonly transcript: Transcript
  readonly session: () => AgentSession | undefined
  /** Whether a turn goes on that could still hear something. */
  readonly mayHear: () => boolean
  /** Whether it may be a while until the next prompt. */
  readonly isBusy: () => boolean
  /** Kept first: whatever ends the run before they are heard, they are said when it is taken up again. */
  keep(words: readonly string[]): void
}

type Words = readonly string[]

/** What people said to an agent that has not heard it yet: each prompt with all that is said in it. */
export interface WordsAhead {
  add(text: string): Words
  /** Adds what a person says now, and notes when it will be heard if that is later. */
  hear(by: string, text: string): Promise<void>
  all(): readonly string[]
  /** All that waits becomes the first prompt, around what the agent begins or goes on with. */
  begin(first: Words, isNew: boolean): void
  next(): Words | undefined
  /**
   * Says what waits within the turn, where the program hears it there. Never while a call is under way: one that hears
   * something in the middle of a command puts that aside, and it would end with the turn, unfinished.
   */
  say(): Promise<void>
  isSaying(): boolean
}

export function openWordsAhead({ earlier, transcript, session, mayHear, isBusy, keep }: WordsAheadOptions): WordsAhead {
  let prompts: readonly Words[] = earlier.map((text) => [text])
  let saying: Promise<void> | undefined
  const all = () => prompts.flat()

  async function sayAll(): Promise<void> {
    for (;;) {
      const [words, ...rest] = prompts
      if (words === undefined || !mayHear() || transcript.isCalling()) return
      prompts = rest
      if ((await session()?.steer(words.join("\n\n"))) !== true) {
        prompts = [words, ...prompts]
        return
      }
      for (const text of words) transcript.say("user", text, { status: "steered" })
      keep(all())
    }
  }

  function add(text: string): Words {
    const words = [text]
    prompts = [...prompts, words]
    keep(all())
    return words
  }

  function say(): Promise<void> {
    saying ??= sayAll().finally(() => (saying = undefined))
    return saying
  }

  return {
    add,
    async hear(by, text) {
      const words = add(text)
      await say()
      if (!prompts.includes(words) || !isBusy()) return
      const isSoon = mayHear() && session()?.steers === true && transcript.isCalling()
      const when = isSoon ? "when what is under way has ended" : "the next turn"
      transcript.say("note", `${by} said this for ${when}: ${text}`)
    },
    all,
    begin(first, isNew) {
      const before = isNew ? 0 : earlier.length
      prompts = [[...prompts.slice(0, before).flat(), ...first, ...prompts.slice(before).flat()]]
    },
    next() {
      const [words, ...rest] = prompts
      prompts = rest
      return words
    },
    say,
    isSaying: () => saying !== undefined,
  }
}
