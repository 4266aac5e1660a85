import { existsSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { remarksOnOffered, validatePath } from "@chorus/plugins"
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
      const { verdict, messages } = validatePath(path, { profile: options.profile })
      const report = { verdict, messages: [...messages, ...remarksOnOffered(path, messages)] }
      const strict = options.strict === true
      const success = report.verdict === "valid" || (report.verdict === "warnings" && !strict)
      if (!success) process.exitCode = 1
      if (options.json !== true) return show(report.messages, report.verdict)
      const told = { success, strict, ...byFile(path, report.messages), ...report }
      process.stdout.write(`${JSON.stringify(told)}\n`)
    })
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/SKILL\.md$/, "skill"],
  [/(^|\/)agents\//, "agent"],
  [/(^|\/)commands\//, "command"],
  [/hooks/, "hooks"],
  [/mcp/, "mcp"],
]

/** The messages as Claude Code tells them: those of the manifest, then file by file. */
function byFile(path: string, messages: readonly PluginMessage[]): Record<string, unknown> {
  const asked = resolve(path)
  const folder = statSync(asked, { throwIfNoEntry: false })?.isFile() === true ? dirname(asked) : asked
  const target =
    ["marketplace.json", "plugin.json"].map((name) => join(folder, ".claude-plugin", name)).find(existsSync) ?? asked
  const of = (file: string, type: string | undefined) => {
    const level = (wanted: PluginMessage["level"]) =>
      messages.filter((message) => message.level === wanted && placeOf(message) === file)
    return { file, type, errors: level("error"), warnings: level("warning"), notes: level("note") }
  }
  const placeOf = ({ file }: PluginMessage) => (file === path ? asked : resolve(folder, file))
  const others = [...new Set(messages.map(placeOf))].filter((file) => file !== target)
  return {
    target,
    manifest: of(target, basename(target) === "marketplace.json" ? "marketplace" : "plugin"),
    contents: others.map((file) => of(file, TYPES.find(([pattern]) => pattern.test(file))?.[1])),
  }
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
