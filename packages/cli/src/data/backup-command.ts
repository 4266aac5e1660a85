import { closeSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { holdDirectory } from "@chorus/server/data-directory"
import { backUpSqlite, restoreSqlite } from "@chorus/store"
import { Command } from "commander"
import { paint, printJson, type Target, withData } from "../output.ts"
import { progress } from "../progress.ts"
import { fileToRead, fileToWrite } from "./named-file.ts"
import { megabytes } from "./size.ts"
import { assertDatabaseNamed, moveToPostgres, readBundle, writeBundle } from "./store-bundle.ts"

export function backupCommand(): Command {
  return withData(new Command("backup"))
    .argument("<file>", "where to write it; it holds secrets and is readable for you alone")
    .option("--force", "replace a file that is there")
    .action(async (file: string, options: Target & { force?: boolean }) => {
      const target = fileToWrite(file, options)
      assertDatabaseNamed(options)
      const shown = progress(`backing up to ${target}`, options.json)
      const bytes =
        options.database === undefined
          ? (await backUpSqlite(embedded(options), target, shown.at)).bytes
          : await writeBundle(options, target, "kept", shown)
      shown.done(`backed up to ${target} (${megabytes(bytes)})`)
      if (options.json) printJson({ file: target, bytes })
    })
}

export function restoreCommand(): Command {
  return withData(new Command("restore"))
    .argument("<file>", "a backup")
    .option("--force", "replace the data that is there; it is set aside, not deleted")
    .action(async (file: string, options: Target & { force?: boolean }) => {
      const source = fileToRead(file)
      const held = holdDirectory(options.data)
      try {
        const result = await restoreFrom(source, options)
        if (options.json) return printJson(result)
        process.stdout.write(`${paint("green", "restored")} ${source}\n`)
        if (result.setAside !== undefined) process.stdout.write(`the data that was there is now ${result.setAside}\n`)
      } finally {
        held.release()
      }
    })
}

interface Outcome {
  readonly restored: string
  readonly setAside: string | undefined
}

/** A SQLite file becomes the embedded store, or goes into an empty PostgreSQL; a bundle goes into an empty store of either. */
async function restoreFrom(source: string, options: Target & { force?: boolean }): Promise<Outcome> {
  const { database } = options
  const isFile = isSqliteFile(source)
  if (isFile && database === undefined) {
    const { setAside } = restoreSqlite(source, embedded(options), { force: options.force ?? false, now: new Date() })
    return { restored: source, setAside }
  }
  const shown = progress(`restoring ${source}`, options.json)
  const moves = isFile && database !== undefined
  const { rows } = moves ? await moveToPostgres(options, database, source, shown) : await readBundle(options, source)
  shown.done(`restored ${rows} rows`)
  return { restored: source, setAside: undefined }
}

function isSqliteFile(path: string): boolean {
  const file = openSync(path, "r")
  try {
    const magic = Buffer.alloc(16)
    readSync(file, magic, 0, 16, 0)
    return magic.toString("latin1") === "SQLite format 3\0"
  } finally {
    closeSync(file)
  }
}

function embedded({ data }: Target): string {
  return join(data, "chorus.sqlite")
}
