import { useUnheard } from "../agents/use-terminals.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"

/** The machines of which it is not known whether an agent waits there. */
export function Unheard() {
  const text = useText()
  const format = useFormat()
  return useUnheard().map(({ machine, forMs }) => (
    <p key={machine} className="mb-4 rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting">
      <InlineCode text={text("needsYou.unheard", { machine, time: format.duration(forMs) })} />
    </p>
  ))
}
