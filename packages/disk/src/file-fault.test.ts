import { describe, expect, it } from "vitest"
import { ChorusError } from "@chorus/contracts"
import { isErrno } from "./errno.ts"
import { fileFault } from "./file-fault.ts"

const elsewhere = "use another"

describe("a fault of the file system", () => {
  it.each([
    [{ code: "ENOSPC" }, "disk_full", 507],
    [{ code: "EDQUOT" }, "disk_full", 507],
    [{ code: "EFBIG" }, "disk_full", 507],
    [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, "disk_full", 507],
    [{ code: "ERR_SQLITE_ERROR", errcode: 778 }, "disk_full", 507],
    [{ code: "EROFS" }, "not_writable", 500],
    [{ code: "EACCES" }, "not_writable", 500],
    [{ code: "EPERM" }, "not_writable", 500],
    [{ code: "ERR_SQLITE_ERROR", errcode: 14 }, "not_writable", 500],
    [{ code: "ERR_SQLITE_ERROR", errcode: 1032 }, "not_writable", 500],
  ])("%j becomes %s, with the path, the next step and its cause", (said, code, status) => {
    const cause = Object.assign(new Error("said"), said)
    expect(fileFault(cause, "/some/file", elsewhere)).toMatchObject({
      code,
      status,
      cause,
      message: expect.stringContaining("/some/file") as unknown,
      next: expect.stringMatching(/Make room|or use another\.$/) as unknown,
    })
  })

  it("of another kind, and anything that is no fault, comes back as it was", () => {
    const others = [
      Object.assign(new Error("x"), { code: "EIO" }),
      Object.assign(new Error("busy"), { code: "ERR_SQLITE_ERROR", errcode: 5 }),
      new ChorusError("taken", "Taken."),
      new Error("plain"),
      undefined,
      null,
      "text",
    ]
    for (const other of others) expect(fileFault(other, "/f", elsewhere)).toBe(other)
  })

  it("is recognised by its code alone", () => {
    expect(isErrno(Object.assign(new Error("x"), { code: "ENOENT" }), "EEXIST", "ENOENT")).toBe(true)
    expect(isErrno(new Error("ENOENT"), "ENOENT")).toBe(false)
    expect(isErrno(undefined, "ENOENT")).toBe(false)
  })
})
