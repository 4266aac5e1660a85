import { holdDirectory } from "@chorus/server/data-directory"
import { Command } from "commander"
import { printJson, type Target, withData } from "../output.ts"
import { progress } from "../progress.ts"
import { fileToRead, fileToWrite } from "./named-file.ts"
import { megabytes } from "./size.ts"
import { printBundle, readBundle, writeBundle } from "./store-bundle.ts"

export function exportCommand(): Command {
  return withData(new Command("export"))
    .argument("<file>", "where to write it, or - for stdout")
    .option("--force", "replace a file that is there")
    .action(async (file: string, options: Target & { force?: boolean }) => {
      if (file === "-") return printBundle(options)
      const target = fileToWrite(file, options)
      const shown = progress(`exporting to ${target}`, options.json)
      const bytes = await writeBundle(options, target, "scrubbed", shown)
      shown.done(`exported to ${target} (${megabytes(bytes)})`)
      if (options.json) printJson({ file: target, bytes })
    })
}

export function importCommand(): Command {
  return withData(new Command("import"))
    .argument("<file>", "an export")
    .action(async (file: string, options: Target) => {
      const source = fileToRead(file)
      const held = holdDirectory(options.data)
      try {
        const shown = progress(`importing ${source}`, options.json)
        const { rows } = await readBundle(options, source)
        shown.done(
          `imported ${rows} rows; people sign in with \`chorus signin --user NAME\`, agents get new keys with \`chorus agent key NAME\``,
        )
        if (options.json) printJson({ file: source, rows })
      } finally {
        held.release()
      }
    })
}
