import { scratchHome } from "@chorus/testing"
import { chorus, type RunningChorus, startChorus } from "../../packages/cli/test/chorus-process.ts"
import { type Hand, handAt } from "../../packages/server/test/closed-loops.ts"
import { setClock } from "./clock.ts"
import { type Person, signIn } from "./person.ts"

/** A server as `chorus start` makes it in an empty home, its owner by the printed link, and agents as the command adds them. */
export interface House extends AsyncDisposable {
  readonly server: RunningChorus
  readonly owner: Person
  /** Lets time pass on the machine of the server. */
  advance(seconds: number): void
  key(name: string, preset: string): Promise<{ uuid: string; key: string }>
  hire(name: string, preset: string, list?: string): Promise<Hand & { readonly key: string }>
}

export async function openHouse(): Promise<House> {
  const home = scratchHome()
  const clock = setClock(home.path)
  const server = await startChorus([], { ...home.environment, ...clock.env })
  const hands: Hand[] = []
  const key: House["key"] = async (name, preset) => {
    const added = await chorus(["agent", "add", name, "--preset", preset, "--json"], home.environment)
    return JSON.parse(added.stdout) as { uuid: string; key: string }
  }
  return {
    server,
    owner: await signIn(server),
    advance: (seconds) => clock.advance(seconds),
    key,
    async hire(name, preset, list = "?tools=lean") {
      const agent = await key(name, preset)
      const hand = await handAt(`${server.url}/api/mcp${list}`, { name, ...agent })
      hands.push(hand)
      return { ...hand, key: agent.key }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hands.map((hand) => hand.close()))
      await server.end()
      await home.remove()
    },
  }
}
