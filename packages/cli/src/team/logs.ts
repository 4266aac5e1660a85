import { spawn } from "node:child_process"
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { ChorusError, type TeamMember } from "@chorus/contracts"
import { Bell } from "@chorus/core"
import { logPath, spawnNoteOf, type Team, tmuxPane, watchFolder } from "@chorus/teams"
import type { Command } from "commander"
import { type InTeam, inTeam, teamOf } from "./place.ts"

export function logsCommand(): Command {
  return inTeam("logs", "What a member that Chorus started said and did.")
    .argument("<name>")
    .option("--follow", "and what it goes on to do, until interrupted")
    .action(async (name: string, options: InTeam & { follow?: boolean }) => {
      const team = await teamOf(options)
      const member = await team.member(name)
      const pane = paneOf(team, member)
      if (pane !== undefined) return void process.stdout.write((await pane.capture?.()) ?? "")
      const path = requireLog(team, name)
      if (options.follow === true) return follow(path)
      process.stdout.write(readFileSync(path, "utf8"))
    })
}

export function attachCommand(): Command {
  return inTeam("attach", "Go to a member's pane; of one that runs out of sight, follow what it does.")
    .argument("<name>")
    .action(async (name: string, options: InTeam) => {
      const team = await teamOf(options)
      const { tmuxPaneId = "" } = await team.member(name)
      if (!tmuxPaneId.startsWith("%")) return follow(requireLog(team, name))
      const socket = spawnNoteOf(team.paths, name)?.socket
      const { TMUX, ...env } = process.env
      // Inside a server one goes over to its pane; that of another server is shown within this one's.
      const words = TMUX !== undefined && socket === undefined ? ["switch-client"] : ["attach-session"]
      const server = socket === undefined ? [] : ["-L", socket]
      const child = spawn("tmux", [...server, ...words, "-t", tmuxPaneId], {
        stdio: "inherit",
        env: socket === undefined ? process.env : env,
      })
      process.exitCode = await new Promise<number>((resolve, reject) =>
        child.once("error", reject).once("exit", (code) => resolve(code ?? 1)),
      )
    })
}

function paneOf({ paths }: Team, { name, tmuxPaneId = "" }: TeamMember) {
  return tmuxPaneId.startsWith("%") ? tmuxPane(tmuxPaneId, spawnNoteOf(paths, name)?.socket) : undefined
}

function requireLog(team: Team, name: string): string {
  const path = logPath(team.paths, name)
  if (existsSync(path)) return path
  throw new ChorusError("no_log", `Chorus keeps no log of ${name}, as it did not start it.`, {
    status: 404,
    next: "Look at it where it runs, or read its messages with `chorus team inbox --all`.",
  })
}

async function follow(path: string): Promise<void> {
  const bell = new Bell()
  let ended = false
  const end = () => {
    ended = true
    bell.ring()
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
  process.stdout.once("error", end)
  const watching = watchFolder(dirname(path), () => bell.ring())
  for (let from = 0; !ended; await bell.heard()) {
    const { size } = statSync(path)
    if (size > from)
      await pipeline(createReadStream(path, { start: from, end: size - 1 }), process.stdout, { end: false })
    from = size
  }
  watching.close()
}
