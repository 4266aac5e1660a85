// A server as a process of its own, for tests that end it without warning: node serve.ts DIRECTORY PORT [DATABASE]
import { flushCompileCache } from "node:module"
import { startServer } from "../src/index.ts"

const [dataDirectory, port, database] = process.argv.slice(2)
if (dataDirectory === undefined) throw new Error("say where the data is")
const server = await startServer({ dataDirectory, port: Number(port ?? 0), database })
// Whoever is killed keeps nothing for the next one otherwise.
flushCompileCache()
process.stdout.write(`ready ${server.url}\n`)
