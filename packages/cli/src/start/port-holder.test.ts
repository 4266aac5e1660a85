import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { chorusHere, scratchFolders } from "../../test/command-line.ts"
import { processListeningOn } from "./port-holder.ts"

const folder = scratchFolders()
const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
const row = (address: string, state: string, inode: number) =>
  `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 100 0 0 10 0\n`

interface Machine {
  readonly tcp?: string
  readonly tcp6?: string
  readonly processes?: Readonly<Record<string, { name: string; sockets: readonly number[] }>>
}

/** A machine as Linux would show it. */
function machine({ tcp, tcp6, processes = {} }: Machine): string {
  const proc = folder()
  mkdirSync(join(proc, "net"), { recursive: true })
  for (const [table, rows] of Object.entries({ tcp, tcp6 }))
    if (rows !== undefined) writeFileSync(join(proc, "net", table), HEAD + rows)
  for (const [pid, { name, sockets }] of Object.entries(processes)) {
    mkdirSync(join(proc, pid, "fd"), { recursive: true })
    writeFileSync(join(proc, pid, "comm"), `${name}\n`)
    symlinkSync("/dev/null", join(proc, pid, "fd", "0"))
    for (const [index, inode] of sockets.entries())
      symlinkSync(`socket:[${inode}]`, join(proc, pid, "fd", String(index + 3)))
  }
  return proc
}

// 8637 is 21BD in the tables.
const LISTENS = row("0100007F:21BD", "0A", 777)

describe("who listens on a port", () => {
  it("is the process that has the socket open", () => {
    const proc = machine({
      tcp: row("0100007F:0016", "0A", 1) + LISTENS,
      tcp6: "",
      processes: { 41: { name: "sshd", sockets: [1] }, 42: { name: "node", sockets: [5, 777] } },
    })
    expect(processListeningOn(8637, proc)).toEqual({ pid: 42, name: "node" })
    expect(processListeningOn(22, proc)).toEqual({ pid: 41, name: "sshd" })
  })

  it.each([
    ["by IPv6 alone", { tcp: "", tcp6: row("00000000000000000000000000000000:21BD", "0A", 777) }],
    ["on a machine without IPv6", { tcp: LISTENS }],
  ])("is found %s", (_, tables) => {
    expect(
      processListeningOn(8637, machine({ ...tables, processes: { 42: { name: "node", sockets: [777] } } })),
    ).toEqual({ pid: 42, name: "node" })
  })

  it.each([
    ["somebody who is only connected", { tcp: row("0100007F:21BD", "01", 777) }],
    ["somebody on a port that ends alike", { tcp: row("0100007F:A1BD", "0A", 777) }],
    ["nobody", { tcp: "" }],
    ["anybody on a system without such tables", {}],
  ])("is not %s", (_, tables) => {
    expect(
      processListeningOn(8637, machine({ ...tables, processes: { 42: { name: "node", sockets: [777] } } })),
    ).toBeUndefined()
  })

  it("is not known when that process is another user's", () => {
    expect(
      processListeningOn(8637, machine({ tcp: LISTENS, processes: { 42: { name: "node", sockets: [] } } })),
    ).toBeUndefined()
    expect(processListeningOn(8637, "/no/such/folder")).toBeUndefined()
  })

  it("cannot play with the terminal by its name", () => {
    expect(
      processListeningOn(8637, machine({ tcp: LISTENS, processes: { 42: { name: "no\u001b[2Jde", sockets: [777] } } })),
    ).toEqual({ pid: 42, name: "no?[2Jde" })
  })
})

describe("chorus start", () => {
  it.each([
    ["--port", "", "A port is a number from 0 to 65535."],
    ["--port", "http", "A port is a number from 0 to 65535."],
    ["--port", "65536", "A port is a number from 0 to 65535."],
    ["--keep-events", "0", "Give a whole number of days."],
    ["--keep-events", "a week", "Give a whole number of days."],
  ])("does not start with %s %j", async (option, value, says) => {
    const { code, stderr } = await chorusHere(["start", option, value, "--data", folder()])
    expect(code).toBe(1)
    expect(stderr).toContain(says)
  })
})
