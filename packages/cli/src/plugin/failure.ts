import { ChorusError } from "@chorus/contracts"

/** What a failed `chorus plugin … --json` prints last on stdout, as Claude Code does; the error itself goes to stderr as everywhere. */
export function printFailure(argv: readonly string[], error: unknown): void {
  const [noun, ...words] = argv.filter((word) => !word.startsWith("-"))
  if (noun !== "plugin" && noun !== "plugins") return
  const [first = "", second = ""] = words
  const command = first === "marketplace" || first === "market" ? `marketplace-${second}` : first
  const about = command === first ? second : words[2]
  process.stdout.write(
    `${JSON.stringify({
      command,
      outcome: "failed",
      ...(about === undefined || about === "" ? {} : { [command === first ? "plugin" : "marketplace"]: about }),
      message: error instanceof Error ? error.message : String(error),
      failureCode: error instanceof ChorusError ? error.code : "error_unknown",
      ...(error instanceof ChorusError && error.next !== undefined ? { next: error.next } : {}),
    })}\n`,
  )
}
