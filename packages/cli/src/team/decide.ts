import { userInfo } from "node:os"
import { ChorusError, type TeamDecision, type TeamPermissionMode, type TeamRequestFact } from "@chorus/contracts"
import { TeamObserver } from "@chorus/teams"
import type { Command } from "commander"
import { paint, printJson, printTable } from "../output.ts"
import { cut } from "./paint.ts"
import { type Asking, requirePerson } from "./person.ts"
import { modeOption } from "./permission-mode.ts"
import { type InTeam, inTeam, teamOf } from "./place.ts"
import { requestText, wholeRequest } from "./request-text.ts"

interface Deciding extends InTeam {
  readonly approve?: boolean
  readonly refuse?: string
  readonly mode?: TeamPermissionMode
}

/** A person's word on a plan or a permission. Anybody may look; a decision needs a person. */
export function decideCommand(asking?: Asking): Command {
  return inTeam("decide", "See what waits for a person; approve or refuse it.")
    .argument("[request]", "the end of the request's id is enough")
    .option("--approve")
    .option("--refuse <why>", "refuse, and say why")
    .addOption(modeOption("for a plan, what the member may then do"))
    .action(async (request: string | undefined, options: Deciding) => {
      const team = await teamOf(options)
      const open = new Map<string, TeamRequestFact>()
      const observer = new TeamObserver({
        teams: [team.name],
        onFact(fact) {
          if (fact.fact === "request" && fact.decidable) open.set(fact.requestId, fact)
          if (fact.fact === "request_settled") open.delete(fact.requestId)
        },
      })
      try {
        await observer.look()
        if (request === undefined) return printOpen([...open.values()], options.json ?? false)
        const chosen = theOne([...open.values()], request)
        const decision = decisionOn(chosen, options)
        requirePerson(`${wholeRequest(chosen)}\nYou ${effectOf(decision)}.`, asking)
        await observer.decide(decision)
        process.stdout.write(`${paint("green", options.approve === true ? "approved" : "refused")}\n`)
      } finally {
        observer.close()
      }
    })
}

function decisionOn(fact: TeamRequestFact, options: Deciding): TeamDecision {
  const approved = options.approve === true
  if (approved === (options.refuse !== undefined))
    throw new ChorusError("say_which", "Say either --approve or --refuse <why>.")
  const head = { team: fact.team, by: userInfo().username, member: fact.member, requestId: fact.requestId, approved }
  if (fact.request === "permission")
    return {
      ...head,
      decision: "permission",
      // What was shown is what is approved, whatever the agent writes meanwhile.
      ...(options.refuse === undefined ? { updatedInput: fact.input ?? {} } : { reason: options.refuse }),
    }
  return {
    ...head,
    decision: "plan",
    ...(options.refuse === undefined ? {} : { feedback: options.refuse }),
    ...(options.mode === undefined ? {} : { permissionMode: options.mode }),
  }
}

function effectOf(decision: TeamDecision): string {
  if (!("approved" in decision) || !decision.approved) return "refuse"
  return decision.decision === "plan"
    ? `approve; it may then act in mode ${decision.permissionMode ?? "default"}`
    : "approve"
}

function printOpen(open: readonly TeamRequestFact[], json: boolean): void {
  if (json) return printJson(open)
  if (open.length === 0) process.stdout.write("Nothing waits for you.\n")
  else
    printTable(
      ["request", "member", "what", "says"],
      open.map((fact) => [fact.requestId, fact.member, fact.toolName ?? fact.request, cut(requestText(fact), 70)]),
    )
}

function theOne(open: readonly TeamRequestFact[], asked: string): TeamRequestFact {
  const exact = open.find((fact) => fact.requestId === asked)
  const found = exact === undefined ? open.filter((fact) => fact.requestId.endsWith(asked)) : [exact]
  if (found.length === 1 && found[0] !== undefined) return found[0]
  throw new ChorusError(
    "no_such_request",
    `${found.length === 0 ? "No" : "More than one"} open request ends with "${asked}".`,
    { status: 404, next: "Run `chorus team decide` to see what waits." },
  )
}
