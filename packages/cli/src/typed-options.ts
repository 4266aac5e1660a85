import type { Command } from "commander"

/**
 * A sub-command's options. One that was typed before the sub-command's name, for the command above, counts too:
 * `chorus team tasks --team a add …` means the team it says.
 */
export function typedOptions<T extends object>(command: Command): T {
  const { parent: above } = command
  const names = command.options.map((option) => option.attributeName())
  const before = names.filter(
    (name) => above?.getOptionValueSource(name) === "cli" && command.getOptionValueSource(name) !== "cli",
  )
  return { ...command.opts<T>(), ...Object.fromEntries(before.map((name) => [name, above?.getOptionValue(name)])) }
}
