import { rmdirSync } from "node:fs"

/** Removes a folder that nothing is in; whatever else is in it is somebody's. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or not there.
  }
}
