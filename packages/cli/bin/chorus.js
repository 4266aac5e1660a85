#!/usr/bin/env node
// `npx chorus` in a clone; on any Node that npm runs on.
import { launch } from "../../../scripts/launch.mjs"

await launch(process.argv.slice(2))
