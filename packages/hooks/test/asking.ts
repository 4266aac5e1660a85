import { execFileSync } from "node:child_process"
import type { attentions } from "@chorus/contracts"
import { type Terminal, type Turn, waitFor } from "@chorus/testing"
import { type Board, openBoard, openClaude, type Version } from "./board.ts"

/** What the model does next, turn by turn of the prompt that is under way. */
type Script = readonly Turn[]

/** Claude Code in a terminal, and what of it waits for a person on the page. */
export interface Asking extends AsyncDisposable {
  readonly board: Board
  readonly terminal: Terminal
  /** Has the model take these turns at a prompt; the last is its words. */
  submit(prompt: string, script: Script): Promise<void>
  open(): Promise<attentions.AttentionRow[]>
  /** The one question that is open, once there is one. */
  asked(): Promise<attentions.AttentionRow>
  becomes(question: attentions.AttentionRow, state: attentions.AttentionRow["state"]): Promise<void>
  answer(question: attentions.AttentionRow, answer: attentions.AttentionAnswer): Promise<unknown>
  /** Presses a key until something holds: a dialog takes none that comes too soon after another. */
  press(key: string, until: () => boolean | Promise<boolean>): Promise<void>
  /** Keeps the hook that waits for an answer from going on until it is let. */
  holdHook(): Promise<{ letGo(): void }>
  /** The answer that the model has read to its last call, in its own form. */
  heard(words: string | RegExp): boolean
}

export async function openAsking(version: Version, mode: string, seconds?: number): Promise<Asking> {
  const february = version === "2.1.41"
  const set = seconds === undefined ? undefined : String(seconds)
  const board = await openBoard({ version, ...(set === undefined ? {} : { config: { answer_seconds: set } }) })
  const env = february && set !== undefined ? { CHORUS_ANSWER_SECONDS: set } : {}
  const terminal = await openClaude(board, { version, mode, env })
  const open = async () =>
    (await board.call<{ attentions: attentions.AttentionRow[] }>("chorus_list_attentions", { open: true })).attentions
  const state = async ({ uuid: attentionUuid }: attentions.AttentionRow) =>
    (await board.call<attentions.AttentionRow>("chorus_get_attention", { attentionUuid })).state
  let from = 0
  return {
    board,
    terminal,
    open,
    async submit(prompt, script) {
      board.model.script(({ tools, purpose, sincePrompt }) =>
        tools.length === 0 || purpose !== "turn" ? { text: "Nothing." } : (script[sincePrompt] ?? { text: "Nothing." }),
      )
      from = board.model.requests.length
      await terminal.submit(prompt)
    },
    asked: () => waitFor(async () => (await open())[0], 60_000, "a question on the page"),
    becomes: async (question, wanted) =>
      void (await waitFor(async () => (await state(question)) === wanted, 90_000, `the question to be ${wanted}`)),
    answer: ({ uuid }, answer) => board.call("chorus_answer_attention", { attentionUuid: uuid, answer }),
    press: async (key, until) =>
      void (await waitFor(async () => (await until()) || (await terminal.key(key)), 60_000, `what ${key} does`, 500)),
    holdHook: async () => {
      const pid = await waitFor(() => waitingHook(board.home.project), 60_000, "the hook that waits")
      process.kill(pid, "SIGSTOP")
      return { letGo: () => void process.kill(pid, "SIGCONT") }
    },
    heard: (words) =>
      board.model.requests
        .slice(from)
        .some(({ newest }) => (typeof words === "string" ? newest.includes(words) : words.test(newest))),
    async [Symbol.asyncDispose]() {
      await terminal.stop()
      await board[Symbol.asyncDispose]()
    },
  }
}

/** The hook program beside the dialog in that project; what its environment says tells it from those of other tests. */
function waitingHook(project: string): number | undefined {
  const lines = execFileSync("ps", ["axeww", "-o", "pid=,args="], { encoding: "utf8", maxBuffer: 100_000_000 }).split(
    "\n",
  )
  const hook = /^\s*(\d+) (?:\S*\/)?bash \S*chorus-hook PermissionRequest /
  const line = lines.find((one) => hook.test(one) && one.includes(` CLAUDE_PROJECT_DIR=${project} `))
  return line === undefined ? undefined : Number(hook.exec(line)?.[1])
}
