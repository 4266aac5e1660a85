import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"

const BESIDE = `
const { workerData, parentPort } = require("node:worker_threads")
const { DatabaseSync } = require("node:sqlite")
const database = new DatabaseSync(workerData, { readOnly: true, timeout: 30000 })
const { quick_check } = database.prepare("pragma quick_check(1)").get()
database.close()
parentPort.postMessage(quick_check)
`

/** Whether every page on the disk can be read and every row is in order: "ok", or the first thing that is not. */
export function quickCheck(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 })
  try {
    return String(database.prepare("pragma quick_check(1)").get()?.["quick_check"])
  } finally {
    database.close()
  }
}

/** The same in a thread of its own. */
export function quickCheckBeside(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(BESIDE, { eval: true, workerData: path })
    worker.unref()
    worker.once("message", resolve)
    worker.once("error", reject)
  })
}
