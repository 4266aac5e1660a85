import type { HookOutput } from "@chorus/contracts"
import { Hono } from "hono"
import { programAnswer, readProgramRequest } from "../operations/hooks/hook-program.ts"
import type { Registry } from "../registry.ts"
import type { DoorEnv } from "./door-env.ts"
import { readText } from "./json-body.ts"

/** `POST /api/hook`: events as agents' programs wrote them, from our hook program, which reads neither them nor the answer. */
export function hookDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/", async (c) => {
    const request = readProgramRequest(await readText(c.env.incoming), c.req.query())
    const call = {
      actor: c.get("actor"),
      requestId: c.get("requestId"),
      idempotencyKey: c.req.header("idempotency-key"),
    }
    const output: HookOutput = request.needsPrompt
      ? { chorus: { needs: "prompt" } }
      : ((await registry.execute("chorus_hook", request.event, call)) as HookOutput)
    return c.text(programAnswer(request, output))
  })
  return door
}
