import { request } from "node:http"
import { type ChorusServer, startServer } from "@chorus/server"
import { temporaryDirectory } from "@chorus/testing"
import type { Plugin } from "vite"

/** A Chorus server of its own behind the test page's /api. Who brings neither the key of an agent nor the sign-in link of a person is the owner. */
export function serverBehind(): Plugin {
  let running: Promise<Behind> | undefined
  return {
    name: "chorus-server-behind",
    configureServer(vite) {
      vite.middlewares.use("/api", (incoming, outgoing) => {
        running ??= start()
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
      const behind = await running
      running = undefined
      await behind?.server.close()
      await behind?.directory.remove()
    },
  }
}

interface Behind {
  readonly server: ChorusServer
  readonly directory: ReturnType<typeof temporaryDirectory>
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

async function start(): Promise<Behind> {
  const directory = temporaryDirectory("page-")
  const server = await startServer({ dataDirectory: directory.path, port: 0 })
  const cookie = await redeem(server, new URL(server.firstSignIn ?? "").hash.slice(1))
  return { server, directory, cookie, others: new Map() }
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
