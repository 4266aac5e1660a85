import { cp } from "node:fs/promises"
import { type IncomingMessage, request } from "node:http"
import { type ChorusServer, startServer } from "@chorus/server"
import { temporaryDirectory } from "@chorus/testing"
import type { Plugin } from "vite"
import { HOUSE, LEAVE } from "./house.ts"

/**
 * A Chorus server behind the test page's /api, one for each file: what all the others leave behind would make every list long and slow.
 * Who brings neither the key of an agent nor the sign-in link of a person is the owner.
 */
export function serverBehind(): Plugin {
  const houses = new Map<string, Promise<Behind>>()
  let ground: Promise<Ground> | undefined
  const leave = async (house: string) => {
    const behind = houses.get(house)
    houses.delete(house)
    await (await behind)?.close()
  }
  return {
    name: "chorus-server-behind",
    configureServer(vite) {
      vite.middlewares.use(LEAVE, (incoming, outgoing) => void leave(houseOf(incoming)).then(() => outgoing.end()))
      vite.middlewares.use("/api", (incoming, outgoing) => {
        const house = houseOf(incoming)
        const running = houses.get(house) ?? (ground ??= layGround()).then(start)
        houses.set(house, running)
        void running.then(async (behind) => {
          const { server } = behind
          const person = incoming.headers["x-person"]
          const who =
            incoming.headers.authorization === undefined
              ? { cookie: await (typeof person === "string" ? cookieOf(behind, person) : behind.cookie) }
              : {}
          const headers = { ...incoming.headers, ...who, origin: server.url, host: new URL(server.url).host }
          const forward = request(
            `${server.url}/api${incoming.url ?? ""}`,
            { method: incoming.method, headers },
            (answer) => {
              outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
              answer.pipe(outgoing)
            },
          )
          forward.on("error", () => outgoing.destroy())
          outgoing.on("close", () => forward.destroy())
          incoming.pipe(forward)
        })
      })
    },
    async buildEnd() {
      await Promise.all([...houses.keys()].map(leave))
      await (await ground)?.directory.remove()
    },
  }
}

/** The files of a worker share its browser's cookies, and run one after the other. */
function houseOf({ headers }: IncomingMessage): string {
  return new RegExp(`\\b${HOUSE}=([\\w-]+)`).exec(headers.cookie ?? "")?.[1] ?? ""
}

interface Behind {
  readonly server: ChorusServer
  close(): Promise<void>
  /** Of the owner's sign-in. */
  readonly cookie: string
  /** Of others, by the token of their link: it works once. */
  readonly others: Map<string, Promise<string>>
}

function cookieOf({ server, others }: Behind, token: string): Promise<string> {
  const known = others.get(token) ?? redeem(server, token)
  others.set(token, known)
  return known
}

interface Ground {
  readonly directory: ReturnType<typeof temporaryDirectory>
  readonly cookie: string
}

/** A server that has started once and knows its owner: to make that anew takes five times as long as to copy it. */
async function layGround(): Promise<Ground> {
  const directory = temporaryDirectory("page-")
  const server = await startServer({ dataDirectory: directory.path, port: 0 })
  const cookie = await redeem(server, new URL(server.firstSignIn ?? "").hash.slice(1))
  await server.close()
  return { directory, cookie }
}

async function start(ground: Ground): Promise<Behind> {
  const { cookie } = ground
  const directory = temporaryDirectory("page-")
  await cp(ground.directory.path, directory.path, { recursive: true })
  const server = await startServer({ dataDirectory: directory.path, port: 0 })
  const close = async () => {
    await server.close()
    await directory.remove()
  }
  return { server, close, cookie, others: new Map() }
}

async function redeem({ url }: ChorusServer, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  })
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ")
}
