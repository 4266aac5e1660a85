import { useWritten } from "../i18n/language.ts"
import { reasonIn } from "../i18n/reason.ts"
import { InlineCode } from "./InlineCode.tsx"

/** Why something is as it is, as a server or a machine gave it, in the reader's language. */
export function Reason({ text: reason }: { readonly text: string }) {
  return <InlineCode text={reasonIn(useWritten(), reason)} />
}
