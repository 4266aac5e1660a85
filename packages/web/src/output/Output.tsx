import { useMemo } from "react"
import { classes } from "../design/index.ts"
import { piecesOf } from "./terminal.ts"

interface OutputProps {
  readonly text: string
  readonly className?: string
}

/** What a program printed, with the colours it has in a terminal. Nothing of it is a link, a title or a command. */
export function Output({ text, className }: OutputProps) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return (
    <pre
      tabIndex={0}
      className={classes("overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap", className)}
    >
      {pieces.map(({ text: words, look }, at) =>
        look === "" ? (
          words
        ) : (
          <span key={at} className={look}>
            {words}
          </span>
        ),
      )}
    </pre>
  )
}
