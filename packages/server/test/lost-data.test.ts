import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { startServer } from "../src/index.ts"

it.each(["missing", "empty"] as const)(
  "a folder whose data is %s does not start as a new one, and what is left is not touched",
  async (how) => {
    await using directory = temporaryDirectory()
    const start = () => startServer({ dataDirectory: directory.path, port: 0 })
    const first = await start()
    const workspace = await first.store.db.selectFrom("workspaces").select("uuid").executeTakeFirst()
    await first.close()
    const file = join(directory.path, "chorus.sqlite")
    const kept = readFileSync(file)
    rmSync(file)
    if (how === "empty") writeFileSync(file, "")
    writeFileSync(join(directory.path, "chorus.sqlite-wal"), "what was not yet written back")

    await expect(start()).rejects.toMatchObject({
      code: "data_missing",
      message: expect.stringContaining(`chorus.sqlite is ${how}`),
      next: expect.stringContaining("chorus restore"),
    })
    expect(existsSync(file)).toBe(how === "empty")
    expect(readFileSync(join(directory.path, "chorus.sqlite-wal"), "utf8")).toContain("not yet written back")

    rmSync(join(directory.path, "chorus.sqlite-wal"))
    writeFileSync(file, kept)
    const again = await start()
    expect(await again.store.db.selectFrom("workspaces").select("uuid").executeTakeFirst()).toEqual(workspace)
    await again.close()
  },
)
