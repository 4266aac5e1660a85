import { type RouteName, type RouteOutput, type RouteParsed, routes } from "@chorus/contracts"
import type { Context, Hono } from "hono"
import type { z } from "zod"
import { invalidInput } from "../operation.ts"
import type { DoorEnv } from "./door-env.ts"
import { readJson } from "./json-body.ts"

/** Binds a route below `base` to what it does: what comes in is checked, what goes out is typed. */
export function serveRoute<Name extends RouteName>(
  door: Hono<DoorEnv>,
  base: string,
  name: Name,
  run: (c: Context<DoorEnv>, input: RouteParsed<Name>) => Promise<RouteOutput<Name>>,
): void {
  const [method = "", path = ""] = name.split(` ${base}`)
  const input: z.ZodType<unknown> = routes[name].input
  door.on(method, path === "" ? "/" : path, async (c) => {
    const parsed = input.safeParse(method === "GET" ? {} : await readJson(c.env.incoming))
    if (!parsed.success) throw invalidInput(parsed.error)
    return c.json(await run(c, parsed.data as RouteParsed<Name>))
  })
}
