import { request } from "node:http"
import { type ChorusServer, startServer } from "@chorus/server"
import { temporaryDirectory } from "@chorus/testing"
import type { Plugin } from "vite"

/** A Chorus server of its own behind the test page's /api. Who brings no key of an agent is the owner. */
export function serverBehind(): Plugin {
  let running: Promise<Behind> | undefined
  return {
    name: "chorus-server-behind",
    configureServer(vite) {
      vite.middlewares.use("/api", (incoming, outgoing) => {
        running ??= start()
        void running.then(({ server, cookie }) => {
          const who = incoming.headers.authorization === undefined ? { cookie } : {}
          const headers = { ...incoming.headers, ...who, origin: server.url, host: new URL(server.url).host }
          const forward = request(`${server.url}/api${incoming.url ?? ""}`, { method: incoming.method, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(outgoing)
          })
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
}

async function start(): Promise<Behind> {
  const directory = temporaryDirectory("page-")
  const server = await startServer({ dataDirectory: directory.path, port: 0 })
  const token = new URL(server.firstSignIn ?? "").hash.slice(1)
  const answer = await fetch(`${server.url}/api/auth/link`, { method: "POST", headers: { "content-type": "application/json", origin: server.url }, body: JSON.stringify({ token }) })
  return { server, directory, cookie: answer.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ") }
}
