import { execFileSync } from "node:child_process"
import { commandOnPath, installDebianPackage } from "./debian.ts"

/** Whether Chinese text can be drawn here; where this process may, Debian's font is installed first. For pictures that people look at. */
export async function ensureChineseFont(): Promise<boolean> {
  if (hasChineseFont()) return true
  await installDebianPackage("fonts-noto-cjk").catch(() => false)
  return hasChineseFont()
}

function hasChineseFont(): boolean {
  if (commandOnPath("fc-list") === undefined) return process.platform !== "linux"
  return execFileSync("fc-list", [":lang=zh", "family"], { encoding: "utf8" }).trim() !== ""
}
