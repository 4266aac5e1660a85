// A thousand event streams in one process: node event-readers.ts URL KEY COUNT; reports delays to its parent.
import { Agent, request } from "node:http"

const [url, key, count] = process.argv.slice(2)
/** Reading each frame of a thousand streams would measure this reader, not the server. */
const sample = Math.ceil(Number(count) / 50)
const delays: number[] = []
let received = 0
let connected = 0
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

for (let n = 0; n < Number(count); n++) {
  request(`${url}/api/events`, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
    let rest = ""
    response.setEncoding("utf8").on("data", (chunk: string) => {
      if (rest === "" && chunk.startsWith(": connected") && ++connected === Number(count)) process.send?.("connected")
      const frames = (rest + chunk).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) {
        if (!frame.startsWith("id: ")) continue
        received++
        if (n % sample !== 0) continue
        const sent = /bench (\d+)/.exec(frame)?.[1]
        if (sent !== undefined) delays.push(Date.now() - Number(sent))
      }
    })
  }).end()
}

process.on("message", () => process.send?.({ delays, received }))
