import type { GroupId } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { everyPage } from "../pages.ts"
import { bridgeCommand, bridgesCommand } from "./bridge-command.ts"
import { importCommand } from "./import-command.ts"
import { inWorkplace } from "../workplace.ts"

export function projectCommand(): Command {
  return new Command("project")
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(importCommand())
    .addCommand(bridgeCommand())
    .addCommand(bridgesCommand())
}

function addCommand(): Command {
  return withTarget(new Command("add").description("Add a project."))
    .argument("<name>")
    .option("--description <text>")
    .option("--group <uuid>", "the project group it goes into")
    .action(async (name: string, options: Target & { description?: string; group?: string }) => {
      const project = await inWorkplace(options, ({ call }) =>
        call("chorus_admin_create_project", {
          name,
          description: options.description,
          groupUuid: options.group as GroupId | undefined,
        }),
      )
      if (options.json) return printJson(project)
      process.stdout.write(`${paint("green", "added")} ${project.name} ${paint("dim", project.uuid)}\n`)
    })
}

function listCommand(): Command {
  return withTarget(new Command("list").description("List projects."))
    .option("--all", "also those that are archived")
    .action(async (options: Target & { all?: boolean }) => {
      const projects = await inWorkplace(options, ({ call }) =>
        everyPage(async (page) => {
          const answer = await call("chorus_list_projects", { ...page, includeArchived: options.all ?? false })
          return { rows: answer.projects, total: answer.total }
        }),
      )
      if (options.json) return printJson(projects)
      printTable(
        ["name", "status", "created", "uuid"],
        projects.map((row) => [row.name, row.status, row.createdAt.slice(0, 10), row.uuid]),
      )
    })
}
