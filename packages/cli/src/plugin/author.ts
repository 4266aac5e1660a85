import { initPlugin, PARTS, tagRelease, type Part } from "@chorus/plugins"
import { Command, Option } from "commander"
import { paint } from "../output.ts"
import { commandContext, printResult, say } from "./context.ts"

interface InitOptions {
  description?: string
  author?: string
  authorEmail?: string
  with?: Part[]
  force?: boolean
  json?: boolean
}

export function initCommand(): Command {
  return new Command("init")
    .alias("new")
    .description("Start a plugin of your own; Claude Code loads it from your skills folder.")
    .argument("<name>")
    .option("--description <text>")
    .option("--author <name>")
    .option("--author-email <address>")
    .addOption(new Option("--with <parts...>", "what it starts with").choices(PARTS))
    .option("-f, --force", "replace what is there")
    .option("--json", "print one JSON object")
    .action((name: string, options: InitOptions) => {
      const { folder, files } = initPlugin(commandContext(options), {
        name,
        description: options.description,
        author: options.author,
        authorEmail: options.authorEmail,
        parts: options.with ?? [],
        force: options.force,
      })
      if (options.json === true) return printResult({ command: "init", plugin: name, folder, files })
      say(`${paint("green", "✔")} ${folder}`)
      for (const file of files) say(`  ${file}`)
      say(`Check it with chorus plugin validate ${folder}`)
    })
}

interface TagOptions {
  push?: boolean
  dryRun?: boolean
  force?: boolean
  message?: string
  remote?: string
  json?: boolean
}

export function tagCommand(): Command {
  return new Command("tag")
    .description("Mark a release of a plugin by the tag that version ranges look for.")
    .argument("[path]", "the plugin's folder", ".")
    .option("--push", "push the tag")
    .option("--remote <name>", "where to push it", "origin")
    .option("-m, --message <text>", "what the tag says")
    .option("--dry-run", "only say which tag it would be")
    .option("-f, --force", "also what is not committed or valid; moves a tag that is there")
    .option("--json", "print one JSON object")
    .action(async (path: string, options: TagOptions) => {
      const { tag, pushedTo } = await tagRelease(commandContext(options), {
        path,
        push: options.push,
        remote: options.remote,
        message: options.message,
        dryRun: options.dryRun,
        force: options.force,
      })
      if (options.json === true) return printResult({ command: "tag", tag, dryRun: options.dryRun === true, pushedTo })
      say(
        `${paint("green", "✔")} ${tag}${options.dryRun === true ? " would be made" : pushedTo === undefined ? "" : ` pushed to ${pushedTo}`}`,
      )
    })
}
