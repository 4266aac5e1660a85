import { readFileSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"
import { Command, InvalidArgumentError, Option } from "commander"
import { parseInput } from "../call/command.ts"
import { dataDirectory } from "../output.ts"
import { serverAddress } from "../server-address.ts"

interface Door {
  readonly url?: string
  readonly apiKey?: string
}

/** What a tool is given besides its JSON, by the names of its fields. */
interface Fields {
  readonly arg: Readonly<Record<string, string>>
  readonly argFile: Readonly<Record<string, string>>
}

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly content?: readonly Said[]; readonly tools?: readonly Tool[] }
  readonly error?: { readonly message?: string }
}

interface Said {
  readonly type: string
  readonly text?: string
}

interface Tool {
  readonly name: string
  readonly description?: string
}

/** The tools of a server as an agent's program sees them, for hook scripts and for looking. */
export function mcpCommand(): Command {
  return new Command("mcp")
    .addCommand(
      atDoor(new Command("call"))
        .description("Call a tool and print what it says.")
        .argument("<tool>", "its name, such as chorus_checkin")
        .argument("[json]", "the input of the tool, as JSON", "{}")
        .option("--arg <name=value>", "a field of that, as text; may be repeated", addField, {})
        .option("--arg-file <name=path>", "a field that is the text of a file; - is standard input", addField, {})
        .option(
          "--agent <profile>",
          "for hook scripts that name one: the key is the one that is given here all the same",
        )
        .action(async (name: string, json: string, { arg, argFile, ...door }: Door & Fields) => {
          const files = Object.entries(argFile).map(([field, path]) => [field, readText(path)])
          const given = Object.assign({}, parseInput(json), arg, Object.fromEntries(files))
          const { content = [], isError } = await ask(door, "tools/call", { name, arguments: given })
          process.stdout.write(`${content.flatMap(({ text }) => text ?? []).join("\n")}\n`)
          if (isError === true) process.exitCode = 1
        }),
    )
    .addCommand(
      atDoor(new Command("list"))
        .description("List the tools that this key may call.")
        .action(async (door: Door) => {
          const { tools = [] } = await ask(door, "tools/list", {})
          for (const { name, description = "" } of tools)
            process.stdout.write(`${name}\t${description.split("\n", 1)[0]}\n`)
        }),
    )
}

function addField(text: string, before: Fields["arg"]): Fields["arg"] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Give it as name=value.")
  return { ...before, [name]: value }
}

function readText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8")
  } catch (error) {
    throw new ChorusError("no_file", `${path} cannot be read.`, { status: 404, next: "Check the path.", cause: error })
  }
}

function atDoor(command: Command): Command {
  return command
    .addOption(
      new Option("--url <address>", "the server; the one on this machine's data when left out").env("CHORUS_URL"),
    )
    .addOption(new Option("--api-key <key>", "an agent's key").env("CHORUS_API_KEY"))
}

async function ask(
  { url = serverAddress(dataDirectory()), apiKey }: Door,
  method: string,
  params: object,
): Promise<NonNullable<Answer["result"]>> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const response = await fetch(new URL("/api/mcp", url), { method: "POST", headers, body }).catch((error: unknown) => {
    throw new ChorusError("server_unreachable", `No server answers at ${url}.`, {
      status: 503,
      next: "Start it with `chorus start`, or name another with --url.",
      cause: error,
    })
  })
  const text = await response.text()
  // A server may answer as a stream of one event.
  const { result, error } = answerIn(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  if (result !== undefined) return result
  throw new ChorusError("mcp_refused", error?.message ?? `The server answered with status ${response.status}.`, {
    status: response.status,
    next: "Check --url and --api-key; `chorus agent add` makes a key.",
  })
}

function answerIn(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}
