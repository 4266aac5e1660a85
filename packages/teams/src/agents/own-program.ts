import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ChorusError } from "@chorus/contracts"
import { programPlaces } from "@chorus/core"

/** A program of ours that others start by its path. */
export function ownProgram(module: string, source: string, built: string): string {
  const found = programPlaces(module, source, built).find((place) => existsSync(place))
  if (found === undefined)
    throw new ChorusError("program_missing", `This installation lacks its program ${built}.`, {
      status: 500,
      next: "Install Chorus again, or run `npm run build` in a clone.",
    })
  return fileURLToPath(found)
}
