import { commandOnPath, installDebianPackage } from "./debian.ts"

/** The path of a shell, installed where this process may. */
export async function findShell(name: "bash" | "zsh" | "fish"): Promise<string> {
  const found = commandOnPath(name) ?? ((await installDebianPackage(name)) ? commandOnPath(name) : undefined)
  if (found === undefined)
    throw new Error(`${name} is missing; install it (apt-get install ${name}, brew install ${name}).`)
  return found
}
