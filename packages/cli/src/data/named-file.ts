import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { ChorusError } from "@chorus/contracts"

/** Where a file is to be written: its folder is there, and it is not, unless it may be replaced. */
export function fileToWrite(name: string, { force = false }: { readonly force?: boolean | undefined }): string {
  const path = resolve(name)
  if (existsSync(path) && statSync(path).isDirectory()) throw notAFile(path)
  if (existsSync(path) && !force)
    throw new ChorusError("would_overwrite", `${path} is there already.`, {
      status: 409,
      next: "Choose another name, or use --force to replace it.",
    })
  if (!existsSync(dirname(path)))
    throw new ChorusError("not_found", `There is no folder ${dirname(path)}.`, {
      status: 404,
      next: "Make it, or choose another place.",
    })
  return path
}

/** A file that is there to be read. */
export function fileToRead(name: string): string {
  const path = resolve(name)
  if (!existsSync(path))
    throw new ChorusError("not_found", `There is no file ${path}.`, { status: 404, next: "Check the name." })
  if (statSync(path).isDirectory()) throw notAFile(path)
  return path
}

function notAFile(path: string): ChorusError {
  return new ChorusError("not_a_file", `${path} is a folder.`, { next: "Name a file." })
}
