import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"
import type { channels } from "@chorus/contracts"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { mailerOf } from "../src/channels/mailer.ts"
import type { ChannelOptions } from "../src/channels/sender.ts"
import { startPostOffice } from "../src/deliveries/post-office.ts"
import { pushSender } from "../src/push/sender.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const PATIENCE = { timeout: 60_000 }
const TOKEN = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ"
const PAGE = "https://chorus.example.com"

onEachEngineUnderStress("calls to a person elsewhere than in a browser", (engine) => {
  let place: Workspace
  let office: { close(): Promise<void> } | undefined
  beforeEach(async () => {
    place = await openWorkspace({ engine })
    place.clock.advance(Date.now() - place.clock.now().getTime())
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await office?.close()
    office = undefined
    await place.close()
  })

  const send = (options: Partial<ChannelOptions> = {}) => {
    const channel = { page: () => PAGE, mailer: mailerOf(process.env), ...options }
    const sender = pushSender(place.store, { channels: channel })
    office = startPostOffice(place.store, [sender], { waitsMs: [20, 20, 20] })
  }
  const add = (channel: object) => place.call<channels.ChannelRow>(place.owner, "chorus_add_channel", channel)
  const own = async () =>
    (await place.call<{ channels: channels.ChannelRow[] }>(place.owner, "chorus_list_channels")).channels
  /** An agent of the owner's asks something. */
  const ask = (detail: string) =>
    place.call(place.developer, "chorus_create_attention", {
      kind: "input",
      title: `Which <@here> colour? ${detail}`.slice(0, 200),
      detail: { text: detail },
    })

  it("say the same in the form each service takes, with a link to the page", async () => {
    await using chat = await receiver()
    await add({ kind: "slack", address: `${chat.url}/services/T1`, allowPrivate: true })
    await add({ kind: "ntfy", address: `${chat.url}/my-topic`, allowPrivate: true })
    await add({ kind: "telegram", address: TOKEN, chat: "-100123" })
    send({ telegram: chat.url, allowPrivate: true })
    await ask("Red & <b>blue</b> @channel")
    await vi.waitFor(() => expect(chat.received).toHaveLength(3), PATIENCE)
    const at = (path: string) => chat.received.find((each) => each.path === path)?.body
    const link = expect.stringMatching(/\nhttps:\/\/chorus\.example\.com\/\S*$/) as string
    expect(at("/services/T1")).toEqual({ text: link })
    expect(JSON.stringify(at("/services/T1"))).toContain("&lt;@\u200bhere&gt;")
    expect(JSON.stringify(at("/services/T1"))).not.toMatch(/<@here>|<b>|@channel/)
    expect(at("/")).toMatchObject({ topic: "my-topic", click: expect.stringContaining(PAGE) as string })
    expect(at(`/bot${TOKEN}/sendMessage`)).toMatchObject({ chat_id: "-100123", text: link })
    await vi.waitFor(async () => expect((await own()).map((row) => row.lastSentAt)).not.toContain(null), PATIENCE)
  })

  it("come by e-mail to the person's own address, through the server's mail server", async () => {
    await using mail = await mailServer()
    await place.call(place.owner, "chorus_update_me", { email: "ada@example.com" })
    await expect(add({ kind: "email" })).rejects.toMatchObject({ code: "channel_invalid", next: /CHORUS_SMTP_URL/ })
    vi.stubEnv("CHORUS_SMTP_URL", mail.url)
    expect(await add({ kind: "email", address: "eve@example.com" })).toMatchObject({ name: "ada@example.com" })
    send()
    await ask("Bcc: eve@example.com")
    await vi.waitFor(() => expect(mail.received).toHaveLength(1), PATIENCE)
    const [letter] = mail.received
    expect(letter?.to).toEqual(["ada@example.com"])
    expect(letter?.data).toContain(PAGE)
    expect(letter?.data).not.toMatch(/^Bcc:/m)
  })

  it("are tried again, and given up without telling the token", async () => {
    await using chat = await receiver(503, 503)
    await add({ kind: "telegram", address: TOKEN, chat: "@team" })
    send({ telegram: chat.url, allowPrivate: true })
    await ask("Once more")
    const deliveries = async () =>
      (await place.call<{ deliveries: object[] }>(place.owner, "chorus_list_deliveries")).deliveries
    // An office that closes before it has the answer gives the call back, and it would go out once more.
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: "delivered" }]), PATIENCE)
    expect(chat.received).toHaveLength(3)
    // A port that was only given back might be somebody else's by then.
    const mute = createTcpServer((socket) => socket.destroy())
    await new Promise<void>((listening) => mute.listen(0, "127.0.0.1", listening))
    onTestFinished(() => void mute.close())
    const { port } = mute.address() as AddressInfo
    await office?.close()
    send({ telegram: `http://127.0.0.1:${port}`, allowPrivate: true })
    await ask("In vain")
    await vi.waitFor(async () => {
      const all = await deliveries()
      expect(all).toMatchObject([
        { state: "dead", to: "Telegram @team" },
        { state: "delivered", attempts: 3 },
      ])
      expect(JSON.stringify(all)).not.toContain(TOKEN)
    }, PATIENCE)
  })

  it("bear the call's mark where the service or its readers know one thing said twice by it", async () => {
    await using chat = await receiver(503)
    await using mail = await mailServer()
    await place.call(place.owner, "chorus_update_me", { email: "ada@example.com" })
    vi.stubEnv("CHORUS_SMTP_URL", mail.url)
    await add({ kind: "ntfy", address: `${chat.url}/my-topic`, allowPrivate: true })
    await add({ kind: "email" })
    send()
    await ask("Which?")
    await vi.waitFor(
      () => expect([chat.received, mail.received]).toMatchObject([{ length: 2 }, { length: 1 }]),
      PATIENCE,
    )
    const [first, again] = chat.received.map(({ body }) => (body as { sequence_id?: string }).sequence_id)
    // What ntfy takes there.
    expect(first).toMatch(/^[-\w]{1,64}$/)
    expect(again).toBe(first)
    expect(mail.received[0]?.data).toMatch(new RegExp(`^Message-ID: <${first}@chorus\\.example\\.com>$`, "m"))
  })

  it("can be tried, seen by their owner alone without the address, and ended", async () => {
    await using chat = await receiver()
    const { uuid: channelUuid } = await add({ kind: "slack", address: `${chat.url}/s3cret`, allowPrivate: true })
    expect(JSON.stringify(await own())).not.toContain("s3cret")
    send()
    await place.call(place.owner, "chorus_try_channel", { channelUuid })
    await vi.waitFor(() => expect(chat.received).toHaveLength(1), PATIENCE)
    const other = place.member
    for (const name of ["chorus_try_channel", "chorus_remove_channel"])
      await expect(place.call(other, name, { channelUuid })).rejects.toMatchObject({ code: "not_found" })
    expect(await place.call(other, "chorus_list_channels")).toMatchObject({ channels: [] })
    await place.call(place.owner, "chorus_remove_channel", { channelUuid })
    expect(await own()).toEqual([])
  })

  it("go to no address that is none, and to a private one only where an owner says so", async () => {
    for (const channel of [
      { kind: "slack", address: "javascript:alert(1)" },
      { kind: "slack", address: "https://name:word@chat.example/" },
      { kind: "slack" },
      { kind: "ntfy", address: "https://ntfy.sh/" },
      { kind: "telegram", address: "../getMe", chat: "1" },
      { kind: "telegram", address: TOKEN, chat: "1&a=b" },
    ])
      await expect(add(channel), JSON.stringify(channel)).rejects.toMatchObject({ code: "channel_invalid" })
    const lan = { kind: "ntfy", address: "http://192.168.1.9/topic", allowPrivate: true }
    for (const role of ["member", "admin"] as const)
      await expect(
        place.call({ ...place.member, role }, "chorus_add_channel", lan),
        `${role}s may not`,
      ).rejects.toMatchObject({ status: 403 })
    await expect(add({ ...lan, allowPrivate: false })).rejects.toMatchObject({
      code: "channel_invalid",
      message: expect.stringContaining("192.168.1.9 is on a private network") as string,
    })
    await add({ kind: "ntfy", address: "http://phone.example/topic" })
    send({ resolve: async () => [{ address: "192.168.1.9", family: 4 }] })
    await ask("Inside")
    await vi.waitFor(async () => {
      const answer = await place.call(place.owner, "chorus_list_deliveries")
      expect(answer).toMatchObject({ deliveries: [{ state: "dead" }] })
    }, PATIENCE)
  })
})

async function receiver(...statuses: number[]) {
  const received: { path: string; body: unknown }[] = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => (text += part))
    request.on("end", () => {
      received.push({ path: request.url ?? "", body: JSON.parse(text) as unknown })
      response.writeHead(statuses.shift() ?? 200).end("ok")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((closed) => server.close(closed))
    },
  }
}

/** As much of SMTP as a letter needs. */
async function mailServer() {
  const received: { to: string[]; data: string }[] = []
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    let [buffer, to, body] = ["", [] as string[], undefined as string | undefined]
    socket.write("220 mail\r\n")
    socket.setEncoding("utf8").on("data", (part: string) => {
      buffer += part
      for (let end = buffer.indexOf("\r\n"); end >= 0; end = buffer.indexOf("\r\n")) {
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        if (body !== undefined && line !== ".") body += `${line}\n`
        else if (body !== undefined) {
          received.push({ to, data: body })
          body = undefined
          socket.write("250 ok\r\n")
        } else if (/^DATA/i.test(line)) {
          body = ""
          socket.write("354 go\r\n")
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n")
        else {
          const recipient = /^RCPT TO:<(.+?)>/i.exec(line)?.[1]
          if (recipient !== undefined) to = [...to, recipient]
          socket.write("250 ok\r\n")
        }
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  return {
    received,
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
