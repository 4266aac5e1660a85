import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "@chorus/disk"
import { removeIfEmpty } from "../uninstall/empty-folder.ts"
import { marketplaceFolder } from "./marketplace-folder.ts"

/** Where npx and its like unpack a package for one run; they clear it when they please. */
const PASSING = /[\\/](_npx|dlx(-[^\\/]*)?)[\\/]/

/**
 * Hooks, plugins and wrappers name this program by its path, so one that was only fetched for a single run is kept below the data
 * directory first, and goes on there. Nothing is put on PATH.
 */
export function continueInLastingCopy(data: string): void {
  if (!PASSING.test(import.meta.dirname)) return
  const { status } = spawnSync(process.execPath, [lastingProgram(data), ...process.argv.slice(2)], { stdio: "inherit" })
  process.exit(status ?? 1)
}

/** The file by which Node starts this command, now and later. */
export function lastingProgram(data: string): string {
  if (!PASSING.test(import.meta.dirname)) return realpathSync(process.argv[1] ?? "")
  replaceFolder(marketplaceFolder(), keptProgram(data))
  writeStarter(data)
  return join(keptProgram(data), "dist", "chorus.js")
}

/** How a person calls this command again. */
export function commandName(data: string): string {
  return import.meta.dirname.startsWith(keptProgram(data)) ? starter(data) : "chorus"
}

/** Removes the kept program; says what went. */
export function removeLastingCopy(data: string): string[] {
  if (!existsSync(keptProgram(data))) return []
  for (const path of [keptProgram(data), join(data, "bin")]) rmSync(path, { recursive: true, force: true })
  removeIfEmpty(data)
  return [`removed ${keptProgram(data)}`]
}

function keptProgram(data: string): string {
  return join(data, "program")
}

function starter(data: string): string {
  return join(data, "bin", "chorus")
}

/** Whoever starts it meanwhile finds the old one or the new one, never half of either. */
function replaceFolder(from: string, to: string): void {
  const [next, old] = [`${to}.${process.pid}.tmp`, `${to}.${process.pid}.old`]
  mkdirSync(join(to, ".."), { recursive: true, mode: 0o700 })
  cpSync(from, next, { recursive: true })
  if (existsSync(to)) renameSync(to, old)
  renameSync(next, to)
  rmSync(old, { recursive: true, force: true })
}

/** The Node that runs this may be replaced one day; any other that is on PATH then finds its way. */
function writeStarter(data: string): void {
  const [node, main] = [quoted(process.execPath), quoted(join(keptProgram(data), "bin", "chorus.mjs"))]
  const text = `#!/bin/sh\n[ -x ${node} ] && exec ${node} ${main} "$@"\nexec node ${main} "$@"\n`
  replaceFile(starter(data), text, { mode: 0o755 })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
