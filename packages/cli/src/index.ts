export { program, runCli } from "./program.ts"
