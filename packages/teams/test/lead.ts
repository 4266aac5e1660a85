import { TEAM_LEAD } from "@chorus/contracts"
import { waitFor } from "@chorus/testing"
import { onTestFinished } from "vitest"
import type { Backend, Placement, Running } from "../src/backends/backend.ts"
import type { Received } from "../src/files/index.ts"
import { bodyOf } from "../src/protocol/body.ts"
import { requestShutdown } from "../src/protocol/send.ts"
import type { Driver } from "../src/runtime/driver.ts"
import { MemberHost, type MemberOptions } from "../src/runtime/member-host.ts"
import { type Spawn, startMember } from "../src/runtime/start-member.ts"
import type { Team } from "../src/team.ts"

const PATIENCE = 90_000

/** Members in the test's own process, each with a host of its own; a driver may be a function, or stand for a program. */
export function hostedHere(
  driverOf: (placement: Placement) => Driver,
  options: Pick<MemberOptions, "planDecider"> = {},
): Backend {
  return {
    type: "in-process",
    async start({ team, member: { name, planModeRequired }, mode, ...rest }) {
      const placement = { team, member: await team.member(name), mode, ...rest }
      const host = new MemberHost({ ...options, team, name, planModeRequired, mode, driver: driverOf(placement) })
      return { place: "in-process", ended: host.ended, stop: () => host.close() }
    },
  }
}

/** The lead of a team of ours: starts members, keeps what it hears, and ends with its test whom it has started. */
export function leadOf(team: Team) {
  const started: Running[] = []
  const heard: Received[] = []
  onTestFinished(async () => {
    await Promise.all(started.map((running) => running.stop()))
  })
  /** What `find` makes of what was heard, once it has made something of it for the nth time. */
  const hear = <T>(find: (from: string, text: string) => T | undefined, what: string, nth = 1) =>
    waitFor(
      async () => {
        heard.push(...(await team.take(TEAM_LEAD)))
        const found = heard.map(({ entry }) => find(entry.from, entry.text)).filter((value) => value !== undefined)
        return found[nth - 1]
      },
      PATIENCE,
      () => `${what}; heard ${JSON.stringify(heard).slice(-2000)}`,
    )
  const bodyWhere = (name: string, fits: (body: Body) => boolean, what: string, nth?: number) =>
    hear(
      (from, text) => {
        const body = from === name ? bodyOf(text) : undefined
        return body !== undefined && fits(body) ? body : undefined
      },
      `${what} of ${name}`,
      nth,
    )
  return {
    /** What a member says of this kind, for the nth time. */
    bodyFrom: (name: string, type: string, nth?: number) => bodyWhere(name, (body) => body.type === type, type, nth),
    said: (name: string, words: string | RegExp) =>
      hear((from, text) => (from === name && new RegExp(words).test(text)) || undefined, `${name} to say ${words}`),
    async spawn(spawn: Spawn): Promise<Running> {
      const { running } = await startMember(team, spawn)
      started.push(running)
      return running
    },
    /** Asks a member to go, and what it answers. */
    async shutdown(name: string, reason?: string) {
      const { request_id } = await requestShutdown(team, { from: TEAM_LEAD, to: name, reason })
      const answers = ({ type, requestId }: Body) =>
        /^shutdown_(approved|rejected)$/.test(type) && requestId === request_id
      return bodyWhere(name, answers, "an answer")
    },
  }
}

type Body = NonNullable<ReturnType<typeof bodyOf>>
