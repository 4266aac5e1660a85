import { validatePath } from "@chorus/plugins"
import type { PluginMessage } from "@chorus/contracts"
import { Command, Option } from "commander"
import { paint } from "../output.ts"
import { counted, say } from "./context.ts"

const MARKS = { error: paint("red", "✘"), warning: paint("yellow", "⚠"), note: paint("dim", "·") }

export function validateCommand(): Command {
  return new Command("validate")
    .description("Check a plugin or marketplace.")
    .argument("[path]", "a folder or manifest", ".")
    .option("--strict", "warnings fail too")
    .addOption(new Option("--profile <profile>", "also what a public directory asks for").choices(["directory"]))
    .option("--json", "print one JSON object")
    .action((path: string, options: { strict?: boolean; json?: boolean; profile?: "directory" }) => {
      const report = validatePath(path, { profile: options.profile })
      if (options.json === true) process.stdout.write(`${JSON.stringify(report)}\n`)
      else show(report.messages, report.verdict)
      if (report.verdict === "errors" || (report.verdict === "warnings" && options.strict === true))
        process.exitCode = 1
    })
}

function show(messages: readonly PluginMessage[], verdict: string): void {
  for (const { level, file, path, line, message, fix, code } of messages) {
    const place = [line === undefined ? file : `${file}:${line}`, path].filter(Boolean).join(" ")
    say(`${MARKS[level]} ${paint("bold", place)}  ${message} ${paint("dim", `[${code}]`)}`)
    if (fix !== undefined) say(`  ${paint("dim", "fix:")} ${fix}`)
  }
  const count = (level: string) => counted(messages.filter((message) => message.level === level).length, level)
  const words =
    {
      valid: paint("green", "✔ valid"),
      warnings: paint("yellow", "valid, with warnings"),
      errors: paint("red", "not valid"),
    }[verdict] ?? verdict
  say(`${words}: ${count("error")}, ${count("warning")}, ${count("note")}`)
}
