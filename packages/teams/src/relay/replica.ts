import { existsSync, mkdirSync } from "node:fs"
import { ChorusError, type RelayedState, type TeamConfig, type TeamMember } from "@chorus/contracts"
import { changeTasks, createConfig, listTasks, readConfig, type TeamPaths, updateConfig } from "../files/index.ts"
import { awayOn, hostMachine, noteHostMachine, placeOn } from "./host-machine.ts"

/** Roster and tasks for another machine; what a member there cannot use stays here. */
export async function stateOf(paths: TeamPaths, ledByChorus: boolean): Promise<RelayedState> {
  return { config: await readConfig(paths), tasks: await listTasks(paths), ledByChorus }
}

/** Makes this machine's files of the team what they are on the machine that hosts it. Whether anybody here is in it. */
export async function takeState(paths: TeamPaths, state: RelayedState, from: string, here: string): Promise<boolean> {
  const host = hostMachine(paths)
  if (host === undefined ? existsSync(paths.config) : host.machine !== from)
    throw new ChorusError("team_exists", `This machine has another team called "${paths.team}".`, {
      status: 409,
      next: "Remove that one first, or give one of the two another name.",
    })
  noteHostMachine(paths, { machine: from, ledByChorus: state.ledByChorus })
  mkdirSync(paths.inboxes, { recursive: true, mode: 0o700 })
  const members = (local: readonly TeamMember[]) =>
    state.config.members.map((member) => mapped(member, from, here, local))
  if (existsSync(paths.config))
    await updateConfig(paths, (local) => same(local, { ...state.config, members: members(local.members) }))
  else await createConfig(paths, { ...state.config, members: members([]) })
  await changeTasks(paths, (tasks) => ({
    write: state.tasks.filter((task) => JSON.stringify(task) !== JSON.stringify(tasks.get(task.id))),
    remove: [...tasks.keys()].filter((id) => !state.tasks.some((task) => task.id === id)),
    result: undefined,
  }))
  return state.config.members.some((member) => awayOn(member) === here)
}

/** Where it runs and whether it is at work is known on its own machine. */
function mapped(member: TeamMember, from: string, here: string, local: readonly TeamMember[]): TeamMember {
  const home = awayOn(member)
  if (home !== here)
    return home === undefined && member.tmuxPaneId !== "leader" ? { ...member, tmuxPaneId: placeOn(from) } : member
  const { tmuxPaneId, cwd, isActive } = local.find(({ name }) => name === member.name) ?? {}
  return {
    ...member,
    tmuxPaneId: tmuxPaneId ?? "",
    ...(cwd === undefined ? {} : { cwd }),
    ...(isActive === undefined ? {} : { isActive }),
  }
}

function same(before: TeamConfig, after: TeamConfig): TeamConfig {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after
}
