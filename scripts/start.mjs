// Installs, builds what is stale, and runs the server. `npm start [-- --port N --data DIR …]`
import { launch } from "./launch.mjs"

await launch(["start", ...process.argv.slice(2)])
