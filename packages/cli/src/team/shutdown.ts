import { setTimeout as pause } from "node:timers/promises"
import { TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import { Bell } from "@chorus/core"
import { livenessOf, type ProcessIdentity } from "@chorus/disk"
import {
  bodyOf,
  endOrphan,
  hostOf,
  isDeadAndOurs,
  requestShutdown,
  spawnNoteOf,
  type Team,
  tmuxPane,
  watchFolder,
} from "@chorus/teams"
import type { Command } from "commander"
import { printJson } from "../output.ts"
import { wholeNumber } from "../whole-number.ts"
import { type InTeam, inTeam, teamAs } from "./place.ts"
import { clearWorktree } from "./worktree.ts"

export function shutdownCommand(): Command {
  return inTeam("shutdown", "Ask a member to shut down, and wait for its answer.")
    .argument("<name>")
    .option("--reason <text>")
    .option(
      "--timeout <seconds>",
      "how long to wait",
      wholeNumber("Give a whole number of seconds, at most a day.", 0, 86_400),
      60,
    )
    .option("--kill", "end it when it does not answer in time")
    .action(async (name: string, options: InTeam & { reason?: string; timeout: number; kill?: boolean }) => {
      const team = await teamAs(options, TEAM_LEAD)
      const member = await team.member(name)
      const host = hostOf(team.paths, name)
      if (await isDeadAndOurs(team, member)) return sayOfDead(name, await seeOut(team, name, member, { host }), options)
      const { request_id } = await requestShutdown(team, { from: TEAM_LEAD, to: name, reason: options.reason })
      const answer = await answerOf(team, name, request_id, options.timeout)
      const ended = answer.approved === true || (answer.approved === undefined && options.kill === true)
      const told = ended ? await seeOut(team, name, member, { host, kill: answer.approved === undefined }) : undefined
      if (!ended) process.exitCode = 1
      if (options.json) return printJson({ request_id, ...answer, ended, ...(told === undefined ? {} : { told }) })
      process.stdout.write(
        answer.approved === undefined
          ? `${name} did not answer${ended ? " and was ended" : ""}\n`
          : answer.approved
            ? `${name} has shut down\n`
            : `${name} refuses: ${answer.reason}\n`,
      )
      if (told !== undefined) process.stdout.write(`${told}\n`)
    })
}

/** Nobody is left to ask. */
function sayOfDead(name: string, told: string | undefined, { json }: InTeam): void {
  if (json) return printJson({ ended: true, dead: true, ...(told === undefined ? {} : { told }) })
  process.stdout.write(`${name} had died; it is off the roster\n`)
  if (told !== undefined) process.stdout.write(`${told}\n`)
}

/** Only the member that was asked answers: its inbox, and with it the request, others can read. */
async function answerOf(
  team: Team,
  name: string,
  requestId: string,
  seconds: number,
): Promise<{ approved: boolean | undefined; reason: string }> {
  const bell = new Bell()
  const watching = watchFolder(team.paths.inboxes, () => bell.ring())
  let late = false
  const timer = setTimeout(() => {
    late = true
    bell.ring()
  }, seconds * 1000)
  try {
    for (;;) {
      const taken = await team.take(TEAM_LEAD, ({ entry }) => {
        const body = bodyOf(entry.text)
        const isAnswer = body?.type === "shutdown_approved" || body?.type === "shutdown_rejected"
        return isAnswer && body.requestId === requestId && entry.from === name
      })
      const body = taken[0] === undefined ? undefined : bodyOf(taken[0].entry.text)
      if (body?.type === "shutdown_approved") return { approved: true, reason: "" }
      if (body?.type === "shutdown_rejected") return { approved: false, reason: body.reason }
      if (late) return { approved: undefined, reason: "" }
      await bell.heard()
    }
  } finally {
    clearTimeout(timer)
    watching.close()
  }
}

interface Leaving {
  readonly host: ProcessIdentity | undefined
  /** It was asked, and did not answer. */
  readonly kill?: boolean
}

/** Says what became of its checkout, where it had one. */
async function seeOut(
  team: Team,
  name: string,
  { tmuxPaneId: place = "" }: TeamMember,
  { host: found, kill = false }: Leaving,
): Promise<string | undefined> {
  const note = spawnNoteOf(team.paths, name)
  // Only a process that was started for it: another program may host several.
  const host = note === undefined ? undefined : found
  if (kill && host !== undefined) signal(host, "SIGTERM")
  // Every tmux server has a pane of that number.
  if (place.startsWith("%") && note !== undefined) await tmuxPane(place, note.socket).stop()
  await team.leave(name)
  // It puts its things in order and ends what it runs; nothing tells of the end of a process that is not ours.
  for (let n = 0; n < 100 && host !== undefined && livenessOf(host) === "alive"; n++) await pause(100)
  if (kill && host !== undefined) signal(host, "SIGKILL")
  endOrphan(team.paths, name)
  return (await clearWorktree(team, name))?.says
}

function signal(host: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    if (livenessOf(host) === "alive") process.kill(host.pid, name)
  } catch {
    // It has ended a moment ago.
  }
}
