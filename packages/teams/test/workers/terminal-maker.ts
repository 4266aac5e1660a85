import { spawn } from "node:child_process"

/** Makes a terminal for a command, as `script` does, and types whatever code it is asked for there. */
const [, , ...command] = process.argv
const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ")
const child = spawn("script", ["-qec", quoted, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] })
let shown = ""
child.stdout.setEncoding("utf8").on("data", (text: string) => {
  process.stdout.write(text)
  shown += text
  const code = /Type (\d{4})/.exec(shown)?.[1]
  if (code === undefined) return
  shown = ""
  child.stdin.write(`${code}\n`)
})
child.once("exit", (status) => process.stdout.write(`ended with ${status}\n`))
