import { text as textOf } from "node:stream/consumers"
import { ChorusError, signatures } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"

export function callCommand(): Command {
  return withTarget(new Command("call"))
    .argument("[operation]", "its name; `chorus_` may be left out; without a name, all are listed")
    .argument("[json]", "the input as JSON, or - to read it from stdin")
    .option("--idempotency-key <key>", "answer a repeat of this call with the first answer")
    .action(
      async (
        operation: string | undefined,
        json: string | undefined,
        options: Target & { idempotencyKey?: string },
      ) => {
        if (operation === undefined) return listOperations(options.json ?? false)
        const input = parseInput(json === "-" ? await textOf(process.stdin) : (json ?? "{}"))
        const name = fullName(operation)
        printJson(
          await inWorkplace(options, (workplace) =>
            workplace.send(name, input, { idempotencyKey: options.idempotencyKey }),
          ),
        )
      },
    )
}

export function fullName(operation: string): string {
  const names: readonly string[] = signatures.map(({ name }) => name)
  return !names.includes(operation) && names.includes(`chorus_${operation}`) ? `chorus_${operation}` : operation
}

export function parseInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ChorusError(
      "invalid_json",
      `The input is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      {
        next: `Quote it for your shell, for example: chorus call whoami '{}'`,
        cause: error,
      },
    )
  }
}

function listOperations(json: boolean): void {
  const rows = signatures.map(({ name, kind, needs, does }) => ({ name, kind, needs, does }))
  if (json) return printJson(rows)
  printTable(
    ["operation", "kind", "needs", "does"],
    rows.map(({ name, kind, needs, does }) => [name, kind, needs, paint("dim", does)]),
  )
}
