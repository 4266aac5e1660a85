import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll } from "vitest"
import { openSqliteStore } from "../src/sqlite-store.ts"
import { row } from "./rows.ts"

/** Made once in each process and copied, as `memoryStore` is. */
let empty: Promise<Buffer> | undefined

/** Folders of their own for the tests of a file, gone after the last. */
export function storeFiles(): { newFolder(): string; newStore(...workspaces: string[]): Promise<string> } {
  const directory = temporaryDirectory()
  afterAll(() => directory.remove())
  let folders = 0
  const newFolder = () => {
    const path = join(directory.path, String(++folders))
    mkdirSync(path)
    return path
  }
  return {
    newFolder,
    /** The path of a closed store with these workspaces in it. */
    async newStore(...workspaces) {
      const path = join(newFolder(), "chorus.sqlite")
      writeFileSync(path, await (empty ??= emptyStore(path)))
      const store = await openSqliteStore(path)
      for (const uuid of workspaces)
        await store.write(({ db }) => db.insertInto("workspaces").values(row.workspace({ uuid })).execute())
      await store.close()
      return path
    },
  }
}

async function emptyStore(path: string): Promise<Buffer> {
  await (await openSqliteStore(path)).close()
  return readFileSync(path)
}
