// Many event streams in one process: node event-readers.ts URL KEY[,KEY…] COUNT [QUERY]; reports delays to its parent. In the query
// NTH stands for the number of the stream.
import { Agent, type IncomingMessage, request } from "node:http"

const [url, key = "", count, query = ""] = process.argv.slice(2)
const keys = key.split(",")
/** Reading each event of a thousand streams would measure this reader, not the server: of most only the ends are counted. */
const sample = Math.ceil(Number(count) / 50)
const NEW_LINE = 10
const delays: number[] = []
let received = 0
let connected = 0
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

for (let n = 0; n < Number(count); n++) {
  request(
    `${url}/api/events?${query.replace("NTH", String(n))}`,
    { agent, headers: { authorization: `Bearer ${keys[n % keys.length]}` } },
    (response) => {
      // The first frame only says that the stream is open.
      response.once("data", () => {
        received--
        if (++connected === Number(count)) process.send?.("connected")
      })
      countFrames(response)
      if (n % sample === 0) measureDelays(response)
    },
  ).end()
}

/** A blank line ends a frame; it may come in two pieces. */
function countFrames(response: IncomingMessage): void {
  let last = 0
  response.on("data", (chunk: Buffer) => {
    if (last === NEW_LINE && chunk[0] === NEW_LINE) received++
    for (let at = chunk.indexOf("\n\n"); at !== -1; at = chunk.indexOf("\n\n", at + 2)) received++
    last = chunk.at(-1) ?? last
  })
}

function measureDelays(response: IncomingMessage): void {
  let rest = ""
  response.on("data", (chunk: Buffer) => {
    const frames = (rest + chunk.toString("latin1")).split("\n\n")
    rest = frames.pop() ?? ""
    for (const frame of frames) {
      const sent = /bench (\d+)/.exec(frame)?.[1]
      if (sent !== undefined) delays.push(Date.now() - Number(sent))
    }
  })
}

process.on("message", () => process.send?.({ delays, received }))
