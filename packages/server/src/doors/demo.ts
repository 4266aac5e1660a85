import { ChorusError, type RouteOutput } from "@chorus/contracts"
import { meets } from "@chorus/core"
import { Hono } from "hono"
import type { Demo } from "../demo/demo.ts"
import type { DoorEnv } from "./door-env.ts"

/** `POST /api/demo`: a person lets the scripted team build a sample project. */
export function demoDoor(demo: Demo): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/", async (c) => {
    const actor = c.get("actor")
    if (actor === undefined || !meets(actor, "person")) {
      throw new ChorusError("forbidden", "Only a person can start the demo.", {
        status: actor === undefined ? 401 : 403,
        next: "Sign in on the page, or run `chorus demo` where Chorus runs.",
      })
    }
    const started = await demo.start(actor, `http://127.0.0.1:${c.env.incoming.socket.localPort}`)
    return c.json(started satisfies RouteOutput<"POST /api/demo">)
  })
  return door
}
