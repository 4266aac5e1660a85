import { type Team, TeamObserver } from "@chorus/teams"
import { TeamView } from "./team-view.ts"

/** Changes that come together are painted together. */
const FRAME_MS = 30

/** Paints the team and keeps painting as it changes, until q, Esc or Ctrl-C. */
export async function watchTeam(team: Team): Promise<void> {
  const { stdin, stdout } = process
  const view = new TeamView()
  let frame: NodeJS.Timeout | undefined
  const draw = () => {
    clearTimeout(frame)
    frame = undefined
    const lines = view.lines(team.name, { columns: stdout.columns ?? 120, rows: stdout.rows ?? 40 })
    stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`)
  }
  const observer = new TeamObserver({
    root: team.paths.root,
    teams: [team.name],
    onFact(fact) {
      view.hear(fact)
      frame ??= setTimeout(draw, FRAME_MS)
    },
  })
  stdout.write("\u001b[?1049h\u001b[?25l")
  stdout.on("resize", draw)
  if (stdin.isTTY) stdin.setRawMode(true)
  await new Promise<void>((resolve) => {
    stdin.on("data", (key) => {
      if (["q", "\u0003", "\u001b"].includes(String(key))) resolve()
    })
    stdin.on("end", resolve)
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve())
  })
  observer.close()
  clearTimeout(frame)
  stdout.off("resize", draw)
  if (stdin.isTTY) stdin.setRawMode(false)
  stdin.pause()
  stdout.write("\u001b[?25h\u001b[?1049l")
}
