/** One entry of a tar, put together by hand: for what no tool would write. */
export function tarEntry(name: string, content: Uint8Array | string = "", type = "0", link = ""): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, "latin1")
  header.write(["0000644", "0000000", "0000000", ""].join("\0"), 100, "latin1")
  header.write(
    `${bytes.length.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        ${type}${link}`,
    124,
    "latin1",
  )
  header.write("ustar\x0000", 257, "latin1")
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
    "latin1",
  )
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

/** A tar of entries, with its end. */
export function tarBytes(...entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat([...entries, Buffer.alloc(1024)])
}
