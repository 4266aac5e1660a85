import { useEffect } from "react"
import { useLive } from "../live/use-operation.ts"

/** Twice within what the server takes for "lately". */
const EVERY_MS = 40_000

/** Says now and then that the person has this page before them; whoever looks here is not called elsewhere. */
export function usePageInView(): void {
  const { client } = useLive()
  useEffect(() => {
    const say = () => {
      // Of no interest a moment later, so a failure is not either.
      if (document.visibilityState === "visible")
        void client.call("chorus_note_page_in_view", {}, { retry: false }).catch(() => undefined)
    }
    say()
    const timer = setInterval(say, EVERY_MS)
    document.addEventListener("visibilitychange", say)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", say)
    }
  }, [client])
}
