import { connect } from "node:net"

const FIRST_PORT = 42_000
/** A web server of a run may need some beside the first. */
const PORTS_EACH = 20
const MOST = 100
const HOSTS = ["127.0.0.1", "::1"]
const ANSWER_MS = 500

export interface Place {
  /** Where web servers may listen from. */
  readonly port: number
  leave(): void
}

export interface Ports {
  take(): Place
  /** One on which nobody answers yet, whoever that would be. */
  takeQuiet(): Promise<Place>
}

/** Gives whatever a runner starts ports of its own, and never the same to two at a time. */
export function openPorts(): Ports {
  const taken = new Set<number>()

  function take(): Place {
    const slot = Array.from({ length: MOST }, (_, at) => at).find((at) => !taken.has(at)) ?? 0
    taken.add(slot)
    return { port: FIRST_PORT + slot * PORTS_EACH, leave: () => void taken.delete(slot) }
  }

  async function takeQuiet(): Promise<Place> {
    const noisy: Place[] = []
    try {
      for (let tries = 0; tries < MOST; tries++) {
        const place = take()
        if (!(await isAnswered(place.port))) return place
        noisy.push(place)
      }
      throw new Error("On every port that this machine keeps for it something else listens.")
    } finally {
      for (const place of noisy) place.leave()
    }
  }

  return { take, takeQuiet }
}

/** Whether something listens there on this machine. */
export async function isAnswered(port: number): Promise<boolean> {
  const answers = await Promise.all(HOSTS.map((host) => reaches(host, port)))
  return answers.includes(true)
}

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS })
    const say = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => say(true))
    socket.once("timeout", () => say(false))
    socket.once("error", () => say(false))
  })
}
