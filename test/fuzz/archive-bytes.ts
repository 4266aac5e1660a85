import { crc32, deflateRawSync } from "node:zlib"

export interface MadeEntry {
  readonly name: string
  readonly content: Uint8Array
  readonly mode?: number
  readonly type?: string
  /** The size it says it has, where that is a lie. */
  readonly claims?: number | undefined
  readonly offset?: number | undefined
  readonly stored?: boolean
}

/** A zip as it is on disk, without any of the checks a proper program makes. */
export function zipOf(entries: readonly MadeEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let position = 0
  for (const { name, content, mode = 0, claims, offset, stored = false } of entries) {
    const packed = stored ? Buffer.from(content) : deflateRawSync(content)
    const label = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(stored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(stored && claims !== undefined ? claims : packed.length, 14)
    common.writeUInt32LE(claims ?? content.length, 18)
    common.writeUInt16LE(label.length, 22)
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, label, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset ?? position, 10)
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, tail, label]))
    files.push(local)
    position += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\u0005\u0006", "latin1")
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(position, 16)
  return Buffer.concat([...files, central, end])
}

/** A tar as it is on disk, likewise. */
export function tarOf(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content, mode = 0o644, type = "0", claims }) => {
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(`${(mode & 0o7777).toString(8).padStart(7, "0")}\0`, 100, "latin1")
    header.write("0000000\0".repeat(2), 108, "latin1")
    header.write(`${(claims ?? content.length).toString(8).padStart(11, "0")}\0`, 124, "latin1")
    header.write("00000000000\0", 136, "latin1")
    header.write(type, 156, 1, "latin1")
    header.write("../../outside", 157, "latin1")
    header.write("ustar\x0000", 257, "latin1")
    header.write(" ".repeat(8), 148, "latin1")
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
    return [header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
