import { gitBytes } from "./git.ts"

interface Wanted {
  readonly id: string
  readonly most: number
}

/** The contents of objects by their ids; what is larger than wanted of it is only measured. */
export async function contentsOf(
  folder: string,
  wanted: readonly Wanted[],
  env: Readonly<Record<string, string>>,
): Promise<Map<string, { size: number; bytes: Buffer | undefined }>> {
  if (wanted.length === 0) return new Map()
  const input = wanted.map(({ id }) => `${id}\n`).join("")
  const told = (await gitBytes(folder, ["cat-file", "--batch-check=%(objecttype) %(objectsize)"], { input, env }))
    .toString("utf8")
    .split("\n")
  const sizes = wanted.map((_, at) => (told[at]?.startsWith("blob ") === true ? Number(told[at].slice(5)) : undefined))
  const small = wanted.filter(({ most }, at) => (sizes[at] ?? Infinity) <= most)
  const read = await gitBytes(folder, ["cat-file", "--batch=%(objectsize)"], {
    input: small.map(({ id }) => `${id}\n`).join(""),
    env,
  })
  const found = new Map<string, { size: number; bytes: Buffer | undefined }>()
  wanted.forEach(({ id }, at) => {
    const size = sizes[at]
    if (size !== undefined) found.set(id, { size, bytes: undefined })
  })
  let at = 0
  for (const { id } of small) {
    const end = read.indexOf(10, at)
    const size = Number(read.toString("utf8", at, end))
    found.set(id, { size, bytes: read.subarray(end + 1, end + 1 + size) })
    at = end + size + 2
  }
  return found
}
