import { Kbd } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

/** What the keys do in the queue. */
export function KeyHints({ may }: { readonly may: boolean }) {
  const text = useText()
  const parts = text(may ? "needsYou.keys" : "needsYou.keysToRead", {
    jk: "\u0000J K\u0000",
    enter: "\u0000↵\u0000",
    a: "\u0000A\u0000",
    r: "\u0000R\u0000",
    x: "\u0000X\u0000",
    s: "\u0000S\u0000",
  }).split("\u0000")
  return (
    <span className="hidden items-center gap-1 text-xs text-faint xl:flex">
      {parts.map((part, at) => (at % 2 === 1 ? <Kbd key={at} keys={part} /> : <span key={at}>{part}</span>))}
    </span>
  )
}
