// Posts stdin to a Chorus server where there is no curl; prints the answer and, on a line of its own, the status.
const { CHORUS_SEND_URL, CHORUS_SEND_KEY, CHORUS_SEND_MARK, CHORUS_SEND_SECONDS } = process.env
const url = new URL(CHORUS_SEND_URL)
const { request } = require(url.protocol === "https:" ? "https" : "http")
const headers = { "content-type": "application/json", authorization: `Bearer ${CHORUS_SEND_KEY}` }
if (CHORUS_SEND_MARK) headers["idempotency-key"] = CHORUS_SEND_MARK
const end = (text) => {
  process.stdout.write(text, () => process.exit(0))
}
setTimeout(() => end("\n0"), Number(CHORUS_SEND_SECONDS) * 1000)
const sent = request(url, { method: "POST", headers }, (response) => {
  let body = ""
  response.setEncoding("utf8")
  response.on("data", (chunk) => (body += chunk))
  response.on("end", () => end(`${body}\n${response.statusCode}`))
})
sent.on("error", () => end("\n0"))
process.stdin.pipe(sent)
