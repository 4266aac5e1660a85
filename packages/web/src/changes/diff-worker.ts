import { shownRows, type ShownRow, wholeFile } from "./diff-rows.ts"
import { type Shade, shadesOf } from "./syntax.ts"

/** What the page asks of the worker. */
export type DiffRequest =
  | { readonly ask: "open"; readonly url: string; readonly ignoreSpace: boolean }
  | { readonly ask: "file"; readonly url: string; readonly path: string; readonly ignoreSpace: boolean }
  | { readonly ask: "whole"; readonly url: string; readonly path: string }
  | { readonly ask: "shade"; readonly path: string }

/** What it tells the page: rows as soon as they are read, their colours when there is time. */
export type DiffAnswer =
  | { readonly told: "rows"; readonly files: Readonly<Record<string, readonly ShownRow[]>> }
  | { readonly told: "shades"; readonly path: string; readonly shades: readonly (readonly Shade[])[] }
  | { readonly told: "failed"; readonly reason: string }

interface Answer {
  readonly files: readonly { readonly path: string; readonly patch?: string }[]
}

const known = new Map<string, readonly ShownRow[]>()

addEventListener("message", ({ data }: MessageEvent<DiffRequest>) => {
  answer(data).then(
    (told) => postMessage(told),
    (error: unknown) => postMessage({ told: "failed", reason: String(error) } satisfies DiffAnswer),
  )
})

async function answer(request: DiffRequest): Promise<DiffAnswer> {
  if (request.ask === "shade")
    return { told: "shades", path: request.path, shades: shadesOf(request.path, known.get(request.path) ?? []) }
  if (request.ask === "whole") {
    const { contentBase64 } = (await read(request.url)) as { contentBase64: string }
    const bytes = Uint8Array.from(atob(contentBase64), (letter) => letter.charCodeAt(0))
    const rows = wholeFile(known.get(request.path) ?? [], new TextDecoder().decode(bytes))
    return rowsOf({ [request.path]: rows })
  }
  if (request.ask === "open") known.clear()
  const { files } = (await read(request.url)) as Answer
  const shown = files.flatMap(({ path, patch }) =>
    patch === undefined ? [] : [[path, shownRows(patch, request)] as const],
  )
  return rowsOf(Object.fromEntries(shown))
}

function rowsOf(files: Readonly<Record<string, readonly ShownRow[]>>): DiffAnswer {
  for (const [path, rows] of Object.entries(files)) known.set(path, rows)
  return { told: "rows", files }
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}
