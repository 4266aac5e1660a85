import { commandOnPath, installDebianPackage } from "./debian.ts"

/** The path of a shell, installed where this process may. */
export function findShell(name: "bash" | "zsh" | "fish"): Promise<string> {
  return findCommand(name)
}

/** GNU screen. */
export function findScreen(): Promise<string> {
  return findCommand("screen")
}

async function findCommand(name: string): Promise<string> {
  const found = commandOnPath(name) ?? ((await installDebianPackage(name)) ? commandOnPath(name) : undefined)
  if (found === undefined)
    throw new Error(`${name} is missing; install it (apt-get install ${name}, brew install ${name}).`)
  return found
}
