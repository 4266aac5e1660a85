import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile, SHIM_MARK } from "@chorus/disk"
import { statusPrograms } from "./programs.ts"
import { listenerBundle } from "../listener/on-demand.ts"
import { cacheFolder, installationHash } from "../listener/socket-path.ts"

const AGENTS = ["claude", "codex", "opencode"] as const
export const SHELLS = ["zsh", "bash", "fish"] as const
export type Shell = (typeof SHELLS)[number]

/** Where the wrappers of this installation stand. */
export function shimFolder(): string {
  return join(cacheFolder(), `shims-${installationHash()}`)
}

/**
 * Writes the wrappers: each runs `chorus run <agent>`, or the agent itself should Chorus be gone. `chorus` is beside
 * them: a shell that has the wrappers of a clone knows it by no other way.
 */
export function writeShims(folder: string, chorus: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { launcher } = statusPrograms()
  for (const agent of AGENTS) {
    replaceFile(join(folder, agent), shim(agent, folder, [...chorus, "run", agent], launcher), { mode: 0o755 })
  }
  replaceFile(join(folder, "chorus"), shim("chorus", folder, chorus), { mode: 0o755 })
}

/** Removes the wrappers and everything the listener keeps; what resuming stored is removed by its own store. */
export function removeTraces(folder: string, socket: string): void {
  rmSync(folder, { recursive: true, force: true })
  const kept = ["", ".json", ".lock", ".line", ".log"].map((end) => socket + end)
  for (const path of [...kept, listenerBundle()]) rmSync(path, { force: true })
  const cache = cacheFolder()
  if (isEmpty(cache)) rmSync(cache, { recursive: true, force: true })
}

function shim(name: string, folder: string, command: readonly string[], launcher?: string): string {
  const [node = "", main = ""] = command
  const words = `${command.map(quote).join(" ")} "$@"`
  const kept = launcher === undefined ? "" : `  [ -x ${quote(launcher)} ] && exec ${quote(launcher)} --keep ${words}\n`
  return `#!/bin/sh
# ${SHIM_MARK}: runs ${name} through Chorus. Removed with: chorus shell-init --remove
if [ -x ${quote(node)} ] && [ -e ${quote(main)} ]; then
${kept}  exec ${words}
fi
# Chorus was removed: find the program behind this wrapper.
rest=$PATH:
while [ -n "$rest" ]; do
  candidate=\${rest%%:*}/${name}
  rest=\${rest#*:}
  if [ -x "$candidate" ] && [ "\${candidate%/*}" != ${quote(folder)} ]; then exec "$candidate" "$@"; fi
done
echo "${name}: not found" >&2
exit 127
`
}

/**
 * What a shell evaluates to put the wrappers first on its own PATH; no file of the person's is written. One that was
 * started from another has them on it already, and before them what its start-up file put there since.
 */
export function shellCode(shell: Shell, folder: string): string {
  if (shell === "fish") {
    return `if test "$PATH[1]" != ${quote(folder)}
  set -gx PATH ${quote(folder)} (string match -v -- ${quote(folder)} $PATH)
end
`
  }
  return `case "$PATH:" in ${quote(folder)}:*) ;; *) export PATH=${quote(folder)}:"$PATH" ;; esac
hash -r 2>/dev/null || true
`
}

/** The same in a file beside the wrappers, for a start-up file: to read it costs no process. */
export function writeShellFile(shell: Shell, folder: string): string {
  const file = join(folder, `init.${shell}`)
  replaceFile(file, shellCode(shell, folder))
  return shell === "fish"
    ? `test -r ${quote(file)}; and source ${quote(file)}`
    : `[ -r ${quote(file)} ] && . ${quote(file)}`
}

/** What a shell evaluates to be as before. */
export function shellUndo(shell: Shell, folder: string): string {
  if (shell === "fish") {
    return `set -gx PATH (string match -v -- ${quote(folder)} $PATH)
set -e CHORUS_TERMINAL_ID
set -e CHORUS_SOCK
`
  }
  return `PATH=$(printf %s ":$PATH:" | sed "s|:"${quote(folder)}":|:|g; s|^:||; s|:\\$||")
export PATH
unset CHORUS_TERMINAL_ID CHORUS_SOCK
hash -r 2>/dev/null || true
`
}

/** Quotes for sh, bash, zsh and fish alike: fish too ends a single-quoted text at the next quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return false
  }
}
