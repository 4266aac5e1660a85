import { TEAM_LEAD } from "@chorus/contracts"
import { Bell, teamWords } from "@chorus/core"
import { broadcast, kindOf, noteOwnSign, type Received, sendMessage, type Team, watchFolder } from "@chorus/teams"
import type { Command } from "commander"
import { oneLine, paint, printJson } from "../output.ts"
import { wholeNumber } from "../whole-number.ts"
import { paintName } from "./paint.ts"
import { agentAbove } from "./person.ts"
import { type InTeam, inTeam, teamAs, teamOf } from "./place.ts"

interface Sending extends InTeam {
  readonly from?: string
  readonly to: string
  readonly summary?: string
}

export function sendCommand(): Command {
  return inTeam("send", "Send a message to a member.")
    .argument("<text>", "the message, or - to read it from the input")
    .option("--from <name>", "who sends it; the lead of a team that Chorus leads when left out")
    .requiredOption("--to <name>", "who gets it")
    .option("--summary <text>", "a few words for previews")
    .action(async (text: string, options: Sending) => {
      const from = options.from ?? TEAM_LEAD
      const team = await teamAs(options, from)
      const answer = await sendMessage(team, {
        from,
        to: options.to,
        content: await textOf(text),
        summary: options.summary,
      })
      if (options.from !== undefined) await noteOwnSign(team, options.from, { pid: agentAbove() })
      if (options.json) return printJson(answer)
      process.stdout.write(`${paint("green", "sent")} to ${options.to}\n`)
    })
}

export function broadcastCommand(): Command {
  return inTeam("broadcast", "Send a message to every other member; each gets a copy.")
    .argument("<text>", "the message, or - to read it from the input")
    .option("--from <name>", "who sends it")
    .option("--summary <text>", "a few words for previews")
    .action(async (text: string, options: Omit<Sending, "to">) => {
      const from = options.from ?? TEAM_LEAD
      const team = await teamAs(options, from)
      const answer = await broadcast(team, {
        from,
        content: await textOf(text),
        summary: options.summary,
      })
      if (options.from !== undefined) await noteOwnSign(team, options.from, { pid: agentAbove() })
      if (options.json) return printJson(answer)
      process.stdout.write(`${paint("green", "sent")} to ${answer.recipients.join(", ")}\n`)
    })
}

export function inboxCommand(): Command {
  return inTeam("inbox", "Take the messages that wait for a member.")
    .requiredOption("--as <name>", "whose inbox")
    .option("--peek", "look without taking")
    .option("--all", "also those that were read before")
    .option(
      "--wait [seconds]",
      "until there is one, at most so long",
      wholeNumber("Give a whole number of seconds, at most a day.", 0, 86_400),
    )
    .action(async (options: InTeam & { as: string; peek?: boolean; all?: boolean; wait?: number | true }) => {
      const looking = options.peek === true || options.all === true
      const team = await (looking ? teamOf(options) : teamAs(options, options.as))
      await (looking ? team.assertOwnInbox(options.as) : team.assertReader(options.as))
      if (options.wait !== undefined) {
        if (!looking && (await team.unread(options.as)).length === 0)
          await noteOwnSign(team, options.as, { pid: agentAbove(), isActive: false })
        await somethingFor(team, options.as, options.wait === true ? undefined : options.wait)
      }
      const messages = await chosen(team, options)
      if (options.json) return printJson(messages.map(({ id, entry }) => ({ ...entry, id, kind: kindOf(entry.text) })))
      const { members } = await team.config()
      for (const { entry } of messages) {
        const color = members.find((member) => member.name === entry.from)?.color
        const kind = kindOf(entry.text)
        process.stdout.write(
          `${paint("dim", entry.timestamp.slice(11, 19))} ${paintName(entry.from, color)} ${paint("dim", kind)} ${oneLine(kind === "message" ? entry.text : teamWords(entry.text))}\n`,
        )
      }
      if (messages.length === 0) process.stdout.write("No messages.\n")
    })
}

async function chosen(team: Team, options: { as: string; peek?: boolean; all?: boolean }): Promise<Received[]> {
  if (options.all === true) return [...team.history(options.as), ...(await team.inbox(options.as))]
  if (options.peek === true) return team.unread(options.as)
  const taken = await team.take(options.as)
  await noteOwnSign(team, options.as, { pid: agentAbove(), isActive: taken.length > 0 })
  return taken
}

/** Resolves when an unread message is there, or the time is over. */
async function somethingFor(team: Team, name: string, seconds: number | undefined): Promise<void> {
  const bell = new Bell()
  const watching = watchFolder(team.paths.inboxes, () => bell.ring())
  let late = false
  const timer = setTimeout(
    () => {
      late = true
      bell.ring()
    },
    (seconds ?? 86_400) * 1000,
  )
  try {
    while ((await team.unread(name)).length === 0 && !late) await bell.heard()
  } finally {
    clearTimeout(timer)
    watching.close()
  }
}

async function textOf(argument: string): Promise<string> {
  if (argument !== "-") return argument
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}
