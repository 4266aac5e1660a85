import { ChorusError } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { asChorusError, focusOf, invalidInput, notFound, offsetOf, pageOf } from "./operation.ts"

const faulty = (fields: object) => Object.assign(new Error("raw words of the database"), fields)

describe("asChorusError", () => {
  it("lets our own errors through as they are", () => {
    const error = new ChorusError("already_claimed", "taken", { status: 409 })
    expect(asChorusError(error, "r1")).toBe(error)
  })

  it.each([[new Error("raw words of the database")], ["a text"], [undefined], [{ code: "x" }]])(
    "tells nothing of %o but the request's id",
    (error) => {
      const fault = asChorusError(error, "r42")
      expect(fault).toMatchObject({
        code: "internal",
        status: 500,
        message: "Something went wrong on the server (request r42).",
      })
      expect(JSON.stringify(fault.toBody())).not.toContain("raw words")
    },
  )

  it("knows a full disk", () => {
    expect(asChorusError(faulty({ code: "53100" }), "r1")).toMatchObject({
      code: "disk_full",
      status: 507,
      next: expect.stringContaining("Make room"),
    })
  })

  it("does not take another fault of the store for that", () => {
    expect(asChorusError(faulty({ errcode: 19 }), "r1")).toMatchObject({ code: "internal" })
    expect(asChorusError(faulty({ code: "53300" }), "r1")).toMatchObject({ code: "store_unavailable", status: 503 })
  })
})

describe("invalidInput", () => {
  it("names each field by its path, and a fault of the whole by its words", () => {
    const schema = z.object({ tasks: z.array(z.object({ title: z.string() })) }).refine(() => false, "give one of both")
    const fault = (input: unknown) => invalidInput(schema.safeParse(input).error ?? new z.ZodError([]))
    expect(fault({ tasks: [{ title: "a" }, {}] })).toMatchObject({
      code: "invalid_input",
      status: 400,
      message: expect.stringContaining("tasks.1.title: "),
      details: { issues: [{ path: "tasks.1.title" }] },
    })
    expect(fault({ tasks: [] }).message).toBe("The input does not fit: give one of both.")
  })
})

describe("notFound", () => {
  it("says what was looked for and how to find the right one", () => {
    expect(notFound("task", "t1")).toMatchObject({
      code: "not_found",
      status: 404,
      message: "There is no task t1 that you can see.",
      next: expect.stringContaining("list the tasks"),
    })
  })
})

describe("focusOf", () => {
  const of = (headers: Record<string, string>) => focusOf((name) => headers[name])

  it.each([
    [{}, undefined],
    [{ "x-chorus-project": "" }, undefined],
    [{ "x-chorus-project": " , ," }, undefined],
    [{ "x-chorus-project": "a" }, { projectUuids: ["a"], groupUuid: undefined }],
    [{ "x-chorus-project": " a, b ,," }, { projectUuids: ["a", "b"], groupUuid: undefined }],
    [{ "x-chorus-project-group": "g" }, { projectUuids: [], groupUuid: "g" }],
    [
      { "x-chorus-project": "a", "x-chorus-project-group": "g" },
      { projectUuids: [], groupUuid: "g" },
    ],
    [
      { "x-chorus-project": "a", "x-chorus-project-group": "  " },
      { projectUuids: ["a"], groupUuid: undefined },
    ],
  ])("reads %j as %j", (headers: Record<string, string>, focus) => {
    expect(of(headers)).toEqual(focus)
  })
})

describe("a page", () => {
  it("begins where the one before it ended", () => {
    expect(offsetOf({ page: 1, pageSize: 20 })).toBe(0)
    expect(offsetOf({ page: 3, pageSize: 7 })).toBe(14)
    expect(pageOf({ page: 3, pageSize: 7 }, 2, 16)).toEqual({ returned: 2, page: 3, pageSize: 7, total: 16 })
  })
})
