import { ChorusError } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { dismissToast, onToasts, toast, toastError, toasts } from "./toasts.ts"

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

const titles = () => toasts().map(({ title }) => title)

describe("toasts", () => {
  it("are the newest four, the newest last", () => {
    for (const title of ["a", "b", "c", "d", "e"]) toast(title)
    expect(titles()).toEqual(["b", "c", "d", "e"])
  })

  it("say the same thing once, where it is newest", () => {
    toast("Saved")
    toast("Moved")
    toast("Saved")
    expect(titles()).toEqual(["Moved", "Saved"])
  })

  it("go by themselves: news after five seconds, errors after ten", () => {
    toast("news")
    toastError(new Error("fault"))
    vi.advanceTimersByTime(4999)
    expect(titles()).toEqual(["news", "fault"])
    vi.advanceTimersByTime(1)
    expect(titles()).toEqual(["fault"])
    vi.advanceTimersByTime(5000)
    expect(titles()).toEqual([])
  })

  it("said again stay their full time: the first one's clock does not end the second", () => {
    toast("Saved")
    vi.advanceTimersByTime(4000)
    toast("Saved")
    vi.advanceTimersByTime(4000)
    expect(titles()).toEqual(["Saved"])
    vi.advanceTimersByTime(1000)
    expect(titles()).toEqual([])
  })

  it("tell those who listen of each change, and of nothing else", () => {
    const heard: string[][] = []
    const stop = onToasts(() => heard.push(titles()))
    toast("one")
    dismissToast(-1)
    for (const { id } of toasts()) dismissToast(id)
    stop()
    toast("two")
    expect(heard).toEqual([["one"], []])
  })
})

describe("an error in a toast", () => {
  it("carries the next step of what the server says", () => {
    toastError(new ChorusError("not_found", "There is no such idea.", { next: "Look at the list.", status: 404 }))
    expect(toasts()).toMatchObject([{ kind: "error", title: "There is no such idea.", detail: "Look at the list." }])
  })

  it.each([
    [new TypeError("cannot read"), "cannot read"],
    ["plain words", "Something went wrong."],
    [undefined, "Something went wrong."],
  ])("is told from whatever was thrown: %s", (thrown, title) => {
    toastError(thrown)
    expect(toasts()).toMatchObject([{ kind: "error", title, detail: undefined }])
  })
})
