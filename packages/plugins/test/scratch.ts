import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach } from "vitest"
import { Report, type FindingFile } from "../src/validate/report.ts"
import { Workbench, type Tree } from "./workbench.ts"

/** A folder of its own for each test of a file, thrown away after it. */
export class ScratchFolder {
  #path: string | undefined

  /** Made when a test first asks for it. */
  get path(): string {
    this.#path ??= realpathSync(mkdtempSync(join(tmpdir(), "chorus-scratch-")))
    return this.#path
  }

  /** Writes files: text and bytes as they are, everything else as JSON. Returns the folder. */
  write(tree: Tree): string {
    for (const [name, content] of Object.entries(tree)) {
      const path = this.at(name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(
        path,
        typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2),
      )
    }
    return this.path
  }

  link(name: string, target: string): void {
    mkdirSync(dirname(this.at(name)), { recursive: true })
    symlinkSync(target, this.at(name))
  }

  folder(name: string): string {
    mkdirSync(this.at(name), { recursive: true })
    return this.at(name)
  }

  executable(name: string): void {
    chmodSync(this.at(name), 0o755)
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8")
  }

  json(name: string): Record<string, unknown> {
    return JSON.parse(this.read(name)) as Record<string, unknown>
  }

  at(name: string): string {
    return join(this.path, name)
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true })
    this.#path = undefined
  }
}

export function useFolder(): ScratchFolder {
  const folder = new ScratchFolder()
  afterEach(() => folder.remove())
  return folder
}

/** A home, a project and a place for fixtures for each test of a file that asks for them. */
export function useWorkbench(): () => Workbench {
  let bench: Workbench | undefined
  afterEach(async () => {
    await bench?.[Symbol.asyncDispose]()
    bench = undefined
  })
  return () => (bench ??= new Workbench())
}

/** What a check finds, as `level code path`. */
export function findings(check: (report: Report, file: FindingFile) => void): string[] {
  const report = new Report()
  check(report, { file: "f.json" })
  return report.messages.map(({ level, code, path }) => `${level} ${code} ${path}`.trim())
}
