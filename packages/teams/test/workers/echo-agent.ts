// A member without tools or a model: repeats the last words it was told, in capitals.
import { text } from "node:stream/consumers"

const told = await text(process.stdin)
const words = /<teammate-message[^>]*>\n([\s\S]*?)\n<\/teammate-message>\s*$/.exec(told)?.[1] ?? ""
process.stdout.write(`ECHO ${words.toUpperCase()}`)
