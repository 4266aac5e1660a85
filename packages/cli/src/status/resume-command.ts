import { existsSync } from "node:fs"
import { ChorusError, type StatusAgent } from "@chorus/contracts"
import {
  age,
  agentsHere,
  ensureListener,
  findRealProgram,
  installedVersion,
  isOlder,
  placeOf,
  processTable,
  readResumeCommand,
  type ResumeEntry,
  type ResumePlace,
  type ResumeStore,
  resumeStore,
  runReported,
  socketPath,
} from "@chorus/status"
import { Command } from "commander"
import { harmless, oneLine, paint, printJson } from "../output.ts"
import { agrees, choice } from "./agreement.ts"
import { agentNamed, sayUnreported } from "./command.ts"

const AGENTS = ["claude", "codex", "opencode"] as const

interface ResumeOptions {
  on?: string
  off?: string
  list?: boolean
  terminal?: string
  json?: boolean
}

/** `chorus resume`: bring back the last session of this terminal. */
export function resumeCommand(): Command {
  return new Command("resume")
    .option("--on <agent>", "remember the last session of each terminal for this agent")
    .option("--off <agent>", "stop remembering, and delete what was remembered")
    .option("--list", "show what would be brought back")
    .option("--terminal <id>", "another terminal than this one")
    .option("--json", "print JSON")
    .action(resume)
}

async function resume(options: ResumeOptions): Promise<void> {
  const store = resumeStore()
  if (options.on !== undefined) return turnOn(store, agentNamed(options.on))
  if (options.off !== undefined) return store.turn(agentNamed(options.off), false)
  refuseDamaged(store)
  if (options.json === true) return printJson(await store.offered())
  if (options.list === true) return list(await store.offered())
  const place = { ...(await placeOf()), folder: process.cwd() }
  const terminal = options.terminal ?? place.terminalId
  const entry =
    options.terminal === undefined
      ? await chosen(await store.find(place), place)
      : await named((await store.offered()).find((known) => known.terminalId === terminal))
  const words = entry === undefined ? undefined : readResumeCommand(entry.agent, entry.command)
  if (entry === undefined || words === undefined) {
    throw new ChorusError("nothing_to_resume", `No session is remembered for terminal ${terminal}.`, {
      next: AGENTS.some((agent) => store.isOn(agent))
        ? "What is remembered of other terminals: chorus resume --list."
        : "Switch it on for an agent with `chorus resume --on claude`; its next prompt is remembered.",
      status: 404,
    })
  }
  await goTo(entry, place.folder)
  await acceptVersion(entry)
  await ensureListener(socketPath()).catch(() => {})
  process.exitCode = await runReported({ agent: entry.agent, args: words.slice(1), onUnreported: sayUnreported })
}

function refuseDamaged(store: ResumeStore): void {
  const file = store.damagedFile()
  if (file === undefined) return
  throw new ChorusError("resume_damaged", `What was remembered in ${harmless(file)} cannot be read.`, {
    next: "Mend it, or begin anew: chorus resume --on claude (or codex, opencode).",
    status: 409,
  })
}

async function turnOn(store: ResumeStore, agent: StatusAgent): Promise<void> {
  if (store.damagedFile() !== undefined)
    process.stderr.write("What was remembered before cannot be read; this begins anew.\n")
  await store.turn(agent, true)
  process.stderr.write(`The last session of ${agent} is remembered in each terminal from its next prompt on.\n`)
}

function list(entries: readonly ResumeEntry[]): void {
  if (entries.length === 0) process.stderr.write("Nothing is remembered yet.\n")
  for (const { terminalId, command, title, folder, tab } of entries) {
    const where = paint("dim", oneLine([title, folder, tab].filter(Boolean).join(" · ")))
    process.stdout.write(`${harmless(`${terminalId}  ${command}  ${where}`)}\n`)
  }
}

/** What is left in this tab comes back at once; where several are, or only another tab's, the person says which. */
async function chosen(entries: ResumeEntry[], here: ResumePlace): Promise<ResumeEntry | undefined> {
  const [only] = entries
  const isSure = only?.terminalId === here.terminalId || only?.tab === (here.tab ?? null)
  if (only === undefined || (entries.length === 1 && isSure)) return only
  const titles = entries.map(({ title, agent, folder, tab, at }) =>
    harmless(oneLine([title ?? agent, `${age(at, Date.now())} ago`, folder, tab].filter(Boolean).join(" · "))),
  )
  const was = isSure ? "Several sessions were left here." : "Other tabs left this in this folder."
  const lines = [was, ...titles.map((title, at) => `${at + 1}  ${title}`)]
  const number = await choice(`${lines.join("\n")}\nWhich one do you want to resume?`, entries.length)
  const entry = entries[number - 1]
  if (entry !== undefined) return entry
  throw new ChorusError("nothing_chosen", lines.join("\n"), {
    next: `Name one: chorus resume --terminal ${only.terminalId}, or any of \`chorus resume --list\`.`,
    status: 409,
  })
}

/** What is open in two terminals is written to by two programs. */
async function named(entry: ResumeEntry | undefined): Promise<ResumeEntry | undefined> {
  const isOpen = (await agentsHere(processTable())).some(({ terminalId }) => terminalId === entry?.terminalId)
  const was = `This session is still open in terminal ${harmless(entry?.terminalId ?? "")}.`
  if (!isOpen || (await agrees(`${was} Bring it back here all the same?`))) return entry
  throw new ChorusError("still_open", was, { next: "Go there: chorus status jump TERMINAL.", status: 409 })
}

/** A session belongs to its folder: in another the agent would work on the wrong files. */
async function goTo({ folder }: ResumeEntry, here: string): Promise<void> {
  if (folder === null || folder === here) return
  const was = `The last session of this terminal was in ${harmless(folder)}.`
  if (!existsSync(folder))
    throw new ChorusError("folder_gone", `${was} That folder is gone.`, { next: "Start a new session.", status: 404 })
  if (!(await agrees(`${was} Go there and bring it back?`)))
    throw new ChorusError("other_folder", was, {
      next: `Go there first: cd ${harmless(folder)} && chorus resume`,
      status: 409,
    })
  process.chdir(folder)
}

/** What a newer program has written an older one may misread. */
async function acceptVersion({ agent, version }: ResumeEntry): Promise<void> {
  const here = installedVersion(findRealProgram(agent, process.env["PATH"]))
  if (version === null || here === undefined || !isOlder(here, version)) return
  const was = `This session is of ${agent} ${version}; here is ${here}, which is older.`
  if (!(await agrees(`${was} Bring it back all the same?`)))
    throw new ChorusError("older_program", was, { next: `Update ${agent}, then run \`chorus resume\`.`, status: 409 })
}
