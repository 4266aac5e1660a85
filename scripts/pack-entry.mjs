#!/usr/bin/env node
// `chorus` of the installed package; on any Node that npm runs on.
import { fileURLToPath } from "node:url"
import { runCommand } from "./run-command.mjs"

await runCommand(fileURLToPath(new URL("../dist/chorus.js", import.meta.url)), process.argv.slice(2))
