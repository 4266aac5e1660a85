import { HookEvent, HookOutput } from "../hook-event.ts"
import { signature } from "../signature.ts"

/** The one endpoint made for hooks: the event goes in, what the hook answers comes out. */
export const hook = signature({
  name: "chorus_hook",
  does: "Take an event of an agent's program and answer what its hook should say.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  open: true,
  input: HookEvent,
  output: HookOutput,
})
