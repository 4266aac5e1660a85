import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { row } from "../test/rows.ts"
import { storeFiles } from "../test/store-file.ts"
import { openSqliteSnapshot, type Snapshot } from "./snapshot.ts"
import { openSqliteStore } from "./sqlite-store.ts"

const { newFolder, newStore } = storeFiles()
const namesIn = async ({ db }: Snapshot) =>
  (await db.selectFrom("workspaces").select("uuid").orderBy("uuid").execute()).map(({ uuid }) => uuid)

describe("a snapshot of the embedded store", () => {
  it("stays what it was when it was first looked at, whatever is written meanwhile", async () => {
    const path = await newStore("w1")
    const store = await openSqliteStore(path)
    const snapshot = openSqliteSnapshot(path)
    const before = await namesIn(snapshot)
    await store.write(({ db }) =>
      db
        .insertInto("workspaces")
        .values(row.workspace({ uuid: "w2" }))
        .execute(),
    )
    expect([before, await namesIn(snapshot)]).toEqual([["w1"], ["w1"]])
    await snapshot.close()
    const later = openSqliteSnapshot(path)
    expect(await namesIn(later)).toEqual(["w1", "w2"])
    await later.close()
    await store.close()
  })

  it("does not let anything be written", async () => {
    const snapshot = openSqliteSnapshot(await newStore("w1"))
    await expect(snapshot.db.deleteFrom("workspaces").execute()).rejects.toThrow(/readonly/)
    await snapshot.close()
  })

  it("is not in the way of whoever writes", async () => {
    const path = await newStore("w1")
    const snapshot = openSqliteSnapshot(path)
    await namesIn(snapshot)
    const store = await openSqliteStore(path)
    await store.write(({ db }) => db.updateTable("workspaces").set({ name: "V" }).execute())
    await store.close()
    await snapshot.close()
    expect(snapshot.engine).toBe("sqlite")
  })

  it("says where no data is and what to do", () => {
    const path = join(newFolder(), "none.sqlite")
    expect(() => openSqliteSnapshot(path)).toThrow(
      expect.objectContaining({
        code: "no_data",
        status: 404,
        message: `There is no Chorus data at ${path}.`,
        next: "Name the right place with --data DIR or --database URL, or begin with `chorus start`.",
      }),
    )
  })
})
