import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { type Forebear, ownIdentity } from "@chorus/disk"
import { expect, it } from "vitest"
import { codeOf, scratchTeam } from "../../test/scratch-team.ts"
import { createTeam, type Team } from "../team.ts"
import { memberLiveness, writeHostNote, writeProcessNote } from "./host-note.ts"
import { requireOwnVoice } from "./own-voice.ts"
import { noteProgress } from "./progress.ts"

const shell: Forebear = { pid: 2, name: "zsh", words: ["-zsh"], marks: ["HOME"] }
const below = (pid: number): Forebear[] => [{ ...shell, pid: 999_999 }, { ...shell, pid }, shell]
const refusal = (team: Team, name: string, line: readonly Forebear[]) =>
  codeOf(Promise.resolve().then(() => requireOwnVoice(team, name, line)))

it("is a started member's own everywhere", async () => {
  const team = await scratchTeam(["ann"])
  const other = await createTeam({ name: "other" }, { root: team.paths.root })
  await team.join({ name: "sly", backendType: "process" })
  expect(await refusal(team, "team-lead", below(process.pid))).toBeUndefined()
  writeProcessNote(team.paths, "sly", process.pid)
  expect(await refusal(team, "sly", below(process.pid))).toBeUndefined()
  for (const name of ["team-lead", "ann", "nobody"])
    expect(await refusal(team, name, below(process.pid)), name).toBe("not_your_name")
  expect(await refusal(other, "team-lead", below(process.pid))).toBe("not_your_name")
  expect(await refusal(team, "team-lead", [shell])).toBeUndefined()
})

it("is that of the agent in a turn, and nobody's of a process that has its number by chance", async () => {
  const team = await scratchTeam()
  await team.join({ name: "sly", backendType: "in-process" })
  noteProgress(team.paths, "sly", { at: "", agent: { ...ownIdentity(), procStart: "another" } })
  expect(await refusal(team, "team-lead", below(process.pid))).toBeUndefined()
  noteProgress(team.paths, "sly", { at: "", agent: ownIdentity() })
  expect(await refusal(team, "team-lead", below(process.pid))).toBe("not_your_name")
})

it("is one's own in the team that one joined by oneself; one may lead another", async () => {
  const team = await scratchTeam(["ann"])
  const other = await createTeam({ name: "other" }, { root: team.paths.root })
  writeProcessNote(team.paths, "ann", process.pid)
  expect(await refusal(team, "team-lead", below(process.pid))).toBe("not_your_name")
  expect(await refusal(other, "team-lead", below(process.pid))).toBeUndefined()
})

it("is nobody's below a member of a team that is kept elsewhere", async () => {
  const marked = { ...shell, pid: 77, marks: ["CHORUS_TEAM_MODE"] }
  expect(await refusal(await scratchTeam(), "team-lead", [marked, shell])).toBe("not_your_name")
})

it("a name says nothing of who had it before: one that joins anew is not dead with a host that was killed", async () => {
  const team = await scratchTeam(["rose"])
  const host = spawn(process.execPath, ["-e", ""], { stdio: "ignore" })
  await once(host, "exit")
  writeHostNote(team.paths, "rose")
  writeFileSync(`${team.paths.own}/hosts/rose.json`, JSON.stringify({ pid: host.pid }))
  const liveness = async () => memberLiveness(team.paths, await team.member("rose"), await team.config())
  expect(await liveness()).toBe("dead")
  await team.leave("rose")
  await team.join({ name: "rose" })
  expect(await liveness()).toBe("unknown")
})
