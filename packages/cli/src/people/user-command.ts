import { Role } from "@chorus/contracts"
import { Command, Option } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { DEFAULT_URL } from "../server-address.ts"
import { inWorkplace } from "../workplace.ts"
import { allMembers } from "./members.ts"

export function userCommand(): Command {
  return new Command("user").addCommand(addCommand()).addCommand(listCommand())
}

function addCommand(): Command {
  return withTarget(new Command("add").description("Add a person and print the link by which they sign in first."))
    .argument("<name>")
    .option("--email <address>")
    .addOption(new Option("--role <role>", "what they may do").choices(Role.options).default("member"))
    .action(async (name: string, options: Target & { email?: string; role: Role }) => {
      const added = await inWorkplace(options, async ({ call, url }) => {
        const answer = await call(
          "chorus_invite_member",
          { name, email: options.email, role: options.role },
          { retry: false },
        )
        return {
          ...answer.member,
          signIn: `${url ?? DEFAULT_URL}${answer.signInPath}`,
          expiresAt: answer.expiresAt,
        }
      })
      if (options.json) return printJson(added)
      process.stdout.write(`${paint("green", "added")} ${added.name} ${paint("dim", added.uuid)}\n`)
      process.stdout.write(`they sign in once, before ${added.expiresAt}: ${paint("cyan", added.signIn)}\n`)
    })
}

function listCommand(): Command {
  return withTarget(new Command("list").description("List the people of this workspace.")).action(
    async (options: Target) => {
      const members = await inWorkplace(options, allMembers)
      if (options.json) return printJson(members)
      printTable(
        ["name", "e-mail", "role", "state", "uuid"],
        members.map((row) => [
          row.name,
          row.email ?? "-",
          row.role,
          row.disabledAt === null ? "active" : "disabled",
          row.uuid,
        ]),
      )
    },
  )
}
