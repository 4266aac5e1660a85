import { ChorusError, TEAM_LEAD, type TeamConfig, type TeamMember, type TeamRequestFact } from "@chorus/contracts"
import {
  claudeConfigDir,
  examineTeams,
  hostOf,
  memberLiveness,
  openTeam,
  progressOf,
  spawnNoteOf,
  type Team,
  teamNames,
  TeamObserver,
} from "@chorus/teams"
import { Command } from "commander"
import { oneLine, paint, printJson, printTable } from "../output.ts"
import { wholeNumber } from "../whole-number.ts"
import { cut, paintName } from "./paint.ts"
import { type InTeam, inTeam, teamOf } from "./place.ts"
import { clearWorktree, leftBehind } from "./worktree.ts"

export function statusCommand(): Command {
  return inTeam("status", "The teams of this machine, or one team's members.")
    .option(
      "--stalled-after <minutes>",
      "how long a member that works may give no sign",
      wholeNumber("Give a whole number of minutes, at most a day.", 0, 1440),
      5,
    )
    .action(async (options: InTeam & { stalledAfter: number }) => {
      const look = async (name: string) => summary(await openTeam(name), options.stalledAfter)
      if (options.team !== undefined) return printTeams([await look(options.team)], options)
      printTeams(
        await Promise.all(teamNames(claudeConfigDir()).map((name) => look(name).catch(faultOf(name)))),
        options,
      )
    })
}

/** One team that cannot be read must not hide the others. */
function faultOf(name: string): (error: unknown) => Fault {
  return (error) => ({ name, fault: error instanceof ChorusError ? error.message : String(error) })
}

interface Fault {
  readonly name: string
  readonly fault: string
}

function printTeams(teams: readonly (Summary | Fault)[], { json, team: named }: InTeam): void {
  if (json) return printJson(named === undefined ? teams : teams[0])
  if (teams.length === 0) process.stdout.write("There is no team on this machine.\n")
  for (const team of teams)
    if ("members" in team) printTeam(team)
    else process.stdout.write(`${paint("bold", oneLine(team.name))} ${paint("yellow", oneLine(team.fault))}\n`)
}

type Summary = Awaited<ReturnType<typeof summary>>

async function summary(team: Team, stalledAfter: number) {
  const config = await team.config()
  const tasks = (await team.tasks()).filter((task) => task.metadata?.["_internal"] !== true)
  const asked = await decidableIn(team)
  const members = await Promise.all(
    config.members.map(async (member) => ({
      ...member,
      ...(await waiting(team, member.name)),
      ...lifeOf(team, config, member, stalledAfter),
      asks: asked.filter((request) => request.member === member.name).map(({ requestId }) => requestId),
      branch: spawnNoteOf(team.paths, member.name)?.worktree?.branch,
      hostedBy: hostOf(team.paths, member.name)?.pid,
    })),
  )
  return {
    name: team.name,
    description: config.description,
    era: await team.era(),
    ledByChorus: await team.ledByChorus(),
    members,
    tasks: {
      open: tasks.filter((task) => task.status !== "completed").length,
      completed: tasks.filter((task) => task.status === "completed").length,
    },
  }
}

/** What waits for a person. */
async function decidableIn(team: Team): Promise<TeamRequestFact[]> {
  const open = new Map<string, TeamRequestFact>()
  const observer = new TeamObserver({
    root: team.paths.root,
    teams: [team.name],
    onFact(fact) {
      if (fact.fact === "request" && fact.decidable) open.set(fact.requestId, fact)
      if (fact.fact === "request_settled") open.delete(fact.requestId)
    },
  })
  await observer.look()
  observer.close()
  return [...open.values()]
}

/** One inbox that cannot be read must not hide the rest of the team. */
async function waiting(team: Team, name: string): Promise<{ unread?: number; fault?: string }> {
  try {
    return { unread: (await team.unread(name)).length }
  } catch (error) {
    return { fault: error instanceof ChorusError ? error.message : String(error) }
  }
}

function printTeam(team: Summary): void {
  const lead = team.ledByChorus ? "led by Chorus" : "led by Claude Code"
  process.stdout.write(
    `${paint("bold", team.name)} ${paint("dim", `${lead}, ${team.tasks.open} open ${team.tasks.open === 1 ? "task" : "tasks"}, ${team.tasks.completed} completed`)}\n`,
  )
  printTable(
    ["member", "type", "where", "state", "unread", "last"],
    team.members.map((member) => [
      paintName(member.name, member.color),
      member.agentType ?? "",
      whereabouts(member),
      stateText(member),
      member.unread === undefined ? paint("yellow", "damaged") : member.unread === 0 ? "" : String(member.unread),
      paint("dim", cut(lastWords(member), 60)),
    ]),
  )
  if (team.members.some(({ asks }) => asks.length > 0))
    process.stdout.write(paint("dim", `\`chorus team decide --team ${team.name}\` shows what waits for you.\n`))
}

/** Of one that is done, what it answered; of one at work, what it does. */
function lastWords({ state, progress }: Pick<ReturnType<typeof lifeOf>, "state" | "progress">): string {
  return (state === "working" ? undefined : progress?.said) ?? progress?.line ?? ""
}

function whereabouts(member: TeamMember & { hostedBy: number | undefined }): string {
  if (member.name === TEAM_LEAD) return ""
  const host = member.hostedBy === undefined ? "" : `host ${member.hostedBy}`
  return [...new Set([member.backendType ?? "", member.tmuxPaneId ?? "", host])].filter((part) => part !== "").join(" ")
}

/** Whether it runs, and how it gets on; one that works and has given no sign for long may be stuck. */
function lifeOf(team: Team, config: TeamConfig, member: TeamMember, stalledAfter: number) {
  const dead = member.name !== TEAM_LEAD && memberLiveness(team.paths, member, config) === "dead"
  const working = !dead && member.isActive === true
  const progress = progressOf(team.paths, member.name)
  const silent = progress === undefined ? 0 : Math.floor((Date.now() - Date.parse(progress.at)) / 60_000)
  return {
    state: dead ? ("dead" as const) : member.isActive === undefined ? undefined : working ? "working" : "idle",
    stalledMinutes: working && progress !== undefined && silent >= stalledAfter ? silent : undefined,
    progress,
  } as const
}

function stateText({ state, stalledMinutes, asks }: ReturnType<typeof lifeOf> & { asks: readonly string[] }): string {
  if (asks.length > 0 && state !== "dead") return paint("yellow", "waits for you")
  if (state === undefined) return ""
  return stalledMinutes === undefined
    ? paint(STATES[state], state)
    : paint("yellow", `no sign for ${stalledMinutes} min`)
}

const STATES = { working: "green", idle: "dim", dead: "red" } as const

export function watchCommand(): Command {
  return inTeam("watch", "See a team live: members, tasks, messages.").action(async (options: InTeam) => {
    const team = await teamOf(options)
    const { watchTeam } = await import("./watch-screen.ts")
    await watchTeam(team)
  })
}

export function observeCommand(): Command {
  return new Command("observe")
    .description("Print what happens in the teams of this machine, one JSON fact a line, until interrupted.")
    .option("--team <name...>", "only these")
    .action(async (options: { team?: string[] }) => {
      const observer = new TeamObserver({
        teams: options.team,
        onFact: (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`),
      })
      await new Promise<void>((resolve) => {
        const end = () => resolve()
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
        process.stdout.once("error", end)
        setInterval(() => undefined, 60_000)
      }).finally(() => observer.close())
      process.exit()
    })
}

/** The checkouts of members that have left; a team whose files cannot be read is named by the other findings. */
async function checkoutFindings(name: string, repair = false) {
  const team = await openTeam(name).catch(() => undefined)
  const left = team === undefined ? [] : await leftBehind(team)
  const findings = []
  for (const { name: member, worktree } of left) {
    const cleared = team !== undefined && repair ? await clearWorktree(team, member) : undefined
    const repaired = cleared?.stays === false
    const stays = cleared?.stays === true ? cleared.says : `${member} has left, and its checkout is still there.`
    const says = repaired ? `${member} has left, and its checkout has gone too. ${cleared.says}` : stays
    findings.push({ team: name, what: "checkout", where: worktree.path, says, repairable: !repair, repaired })
  }
  return findings
}

export function doctorCommand(): Command {
  return inTeam("doctor", "Look for locks, damage, ghosts, broken links and checkouts left behind.")
    .option("--repair", "put right what can be put right without losing anything")
    .action(async (options: InTeam & { repair?: boolean }) => {
      const findings = await examineTeams({ team: options.team })
      const results = []
      for (const { repair, ...finding } of findings) {
        const repaired = options.repair === true && repair !== undefined
        if (repaired) await repair()
        results.push({ ...finding, repairable: repair !== undefined, repaired })
      }
      const names = options.team === undefined ? teamNames(claudeConfigDir()) : [options.team]
      for (const name of names) results.push(...(await checkoutFindings(name, options.repair)))
      if (results.some((finding) => !finding.repaired)) process.exitCode = 1
      if (options.json) return printJson(results)
      if (results.length === 0) process.stdout.write(`${paint("green", "All teams are in order.")}\n`)
      else
        printTable(
          ["team", "what", "says", "where"],
          results.map((finding) => [
            finding.team,
            finding.repaired ? paint("green", `${finding.what} ✔`) : paint("yellow", finding.what),
            cut(finding.says, 90),
            finding.where,
          ]),
        )
      if (results.some((finding) => finding.repairable && !finding.repaired))
        process.stdout.write(`${paint("dim", "next ")} chorus team doctor --repair\n`)
    })
}
