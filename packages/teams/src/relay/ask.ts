import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Bell } from "@chorus/core"
import { ChorusError, RelayedAnswer, type TeamChange } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import { entriesOf } from "../files/index.ts"
import { watchFolder } from "../watch.ts"

const PATIENCE_MS = 30_000
/** Whoever asked has long given up. */
const KEPT_MS = 3_600_000

/** What somebody on this machine wants the machine that hosts a team to do; its companion passes it on. */
export interface Ask {
  readonly id: string
  readonly to: string
  readonly team: string
  readonly change: TeamChange
}

/** Resolves to what came of it there; this machine's files of the team then show it. */
export async function askHost(root: string, ask: Omit<Ask, "id">): Promise<unknown> {
  const id = randomUUID()
  const answers = folderOf(root, "answers")
  const bell = new Bell()
  const watching = watchFolder(answers, () => bell.ring())
  let late = false
  const timer = setTimeout(() => {
    late = true
    bell.ring()
  }, PATIENCE_MS)
  try {
    replaceFile(join(folderOf(root, "asks"), `${id}.json`), JSON.stringify({ ...ask, id }))
    for (;;) {
      const answer = RelayedAnswer.safeParse(readJson(join(answers, `${id}.json`))).data
      if (answer?.error !== undefined) throw new ChorusError(answer.error.code, answer.error.message, answer.error)
      if (answer !== undefined) return answer.result
      if (late) throw silent(ask)
      await bell.heard()
    }
  } finally {
    clearTimeout(timer)
    watching.close()
    for (const folder of ["asks", "answers"] as const)
      rmSync(join(folderOf(root, folder), `${id}.json`), { force: true })
  }
}

export function openAsks(root: string): Ask[] {
  return entriesOf(folderOf(root, "asks"))
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => (readJson(join(folderOf(root, "asks"), name)) as Ask | undefined) ?? [])
}

export function dropAsk(root: string, { id }: Ask): void {
  rmSync(join(folderOf(root, "asks"), `${id}.json`), { force: true })
}

export function answerAsk(root: string, id: string, answer: RelayedAnswer): void {
  replaceFile(join(folderOf(root, "answers"), `${id}.json`), JSON.stringify(answer))
}

/** The folder of what is asked or answered; what nobody waits for any more is cleared away. */
export function folderOf(root: string, what: "asks" | "answers"): string {
  const folder = join(root, "chorus", what)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

export function clearOldAsks(root: string): void {
  for (const what of ["asks", "answers"] as const)
    for (const name of entriesOf(folderOf(root, what))) {
      const path = join(folderOf(root, what), name)
      if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > KEPT_MS)
        rmSync(path, { force: true })
    }
}

function silent({ to, team }: Omit<Ask, "id">): ChorusError {
  return new ChorusError("host_silent", `The machine that hosts "${team}" (${to}) has not answered.`, {
    status: 504,
    next: "See that `chorus companion` runs here and there, then look whether it was done after all: it may still be.",
  })
}
