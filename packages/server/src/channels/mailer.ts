import { ChorusError } from "@chorus/contracts"
import type { PushNotice } from "../push/notice.ts"

export interface Mailer {
  send(to: string, notice: PushNotice, link: string): Promise<void>
}

const TIMEOUT_MS = 20_000

/**
 * Sends e-mail through the server that `CHORUS_SMTP_URL` names; nothing is sent, and nobody can ask for it, without
 * one.
 */
export function mailerOf(environment: NodeJS.ProcessEnv): Mailer | undefined {
  const url = environment["CHORUS_SMTP_URL"]
  if (url === undefined || url === "") return undefined
  if (!URL.canParse(url) || !/^smtps?:$/.test(new URL(url).protocol)) {
    throw new ChorusError("smtp_url_invalid", "CHORUS_SMTP_URL is no address of a mail server.", {
      next: "Set it to `smtps://NAME:PASSWORD@mail.example.com`, or smtp:// where the server starts TLS itself.",
    })
  }
  const from = environment["CHORUS_MAIL_FROM"] ?? `Chorus <chorus@${new URL(url).hostname}>`
  return {
    async send(to, { title, body, mark }, link) {
      const { createTransport } = await import("nodemailer")
      const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
      const transport = createTransport({ url, ...timeouts })
      try {
        await transport.sendMail({
          from,
          to: { name: "", address: to },
          subject: title,
          text: `${body === "" ? title : body}\n\n${link}\n`,
          // A letter that comes twice is shown once, by those who read this.
          ...(mark === undefined ? {} : { messageId: `<${mark}@${new URL(link).hostname}>` }),
          // Nothing that an agent wrote may name a file or an address to read.
          disableFileAccess: true,
          disableUrlAccess: true,
          headers: { "auto-submitted": "auto-generated" },
        })
      } finally {
        transport.close()
      }
    },
  }
}
