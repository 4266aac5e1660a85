import { ChorusError } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { Hono } from "hono"
import { makeSignInToken } from "../bootstrap.ts"
import type { DoorEnv } from "./door-env.ts"
import { readJson } from "./json-body.ts"

/** `/api/local/…`: what only the person who owns the data directory may ask of a running server. */
export function localDoor(store: Store): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.use(async (c, next) => {
    if (c.get("local") !== true) throw onlyLocal()
    await next()
  })
  door.post("/sign-in-token", async (c) => {
    const { userUuid } = (await readJson(c.req.raw)) as { userUuid?: unknown }
    if (typeof userUuid !== "string") throw new ChorusError("invalid_input", "userUuid must say who is to sign in.", { next: "List the people with chorus_list_members." })
    const person = await store.db.selectFrom("users").select(["uuid", "disabledAt"]).where("uuid", "=", userUuid).executeTakeFirst()
    if (person === undefined || person.disabledAt !== null) {
      throw new ChorusError("not_found", `There is no active person ${userUuid}.`, { status: 404, next: "List the people with chorus_list_members." })
    }
    return c.json({ token: await makeSignInToken(store, userUuid, new Date()) })
  })
  return door
}

function onlyLocal(): ChorusError {
  return new ChorusError("local_only", "This is only for the chorus command on the server's own machine.", {
    status: 403,
    next: "Run the chorus command as the user who owns the data directory.",
  })
}
