import { accessSync, constants, existsSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { programPlaces } from "@chorus/core"

/** The small programs that run beside an agent; they are files because agents start them by path. */
export interface StatusPrograms {
  /** What the agents' hooks run. */
  emitter: string
  /** What the agent is started under; nothing when only Node is there, which then does it itself. */
  launcher: string | undefined
  oscReader: string | undefined
  opencodePlugin: string
}

const PERL = "/usr/bin/perl"

/** Perl starts in 2 ms and is part of macOS and of nearly every Linux; Node takes ten times that and is the fallback. */
export function statusPrograms(perl = PERL): StatusPrograms {
  const hasPerl = isExecutable(perl)
  return {
    emitter: hasPerl ? program("emit.pl") : nodeEmitter(),
    launcher: hasPerl ? program("launch.pl") : undefined,
    oscReader: hasPerl ? program("osc.pl") : undefined,
    opencodePlugin: ownProgram("../opencode/plugin.ts", "opencode-plugin.js"),
  }
}

/** What brings a line that nobody heard to the next listener, besides doing the emitter's work where there is no Perl. */
export function nodeEmitter(): string {
  return program("emit.cjs")
}

/** What OpenCode loads once it is connected to the board. */
export function openCodeBoardPlugin(): string {
  return ownProgram("../opencode/board-plugin.ts", "opencode-board.js")
}

function program(name: string): string {
  return ownProgram(`../../programs/${name}`, name)
}

function ownProgram(source: string, built: string): string {
  const places = programPlaces(import.meta.url, source, built)
  return fileURLToPath(places.find((place) => existsSync(place)) ?? places[0] ?? "")
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    // A folder can be "executed" too, but not started.
    return statSync(path).isFile()
  } catch {
    return false
  }
}
