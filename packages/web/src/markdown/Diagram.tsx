import { useEffect, useId, useState } from "react"
import { Skeleton, useDark } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { takeDrawingStyle, watchDrawingStyles } from "./drawing-styles.ts"

/**
 * A mermaid drawing, shown as a picture: whatever the text made the library draw, a picture runs nothing and leads nowhere.
 * Where it cannot be drawn, the text itself is shown.
 */
export function Diagram({ source }: { readonly source: string }) {
  const text = useText()
  const id = useId().replaceAll(/[^\w-]/g, "")
  const dark = useDark()
  const [drawing, setDrawing] = useState<Drawing | "failed">()
  useEffect(() => {
    let wanted = true
    draw(`diagram-${id}`, source, dark).then(
      (made) => wanted && setDrawing(made),
      () => wanted && setDrawing("failed"),
    )
    return () => {
      wanted = false
    }
  }, [id, source, dark])
  if (drawing === undefined) return <Skeleton className="h-40 w-full rounded-lg" />
  if (drawing === "failed") {
    return (
      <figure>
        <CodeBlock code={source} language="mermaid" />
        <figcaption className="text-xs text-faint">{text("markdown.diagramFailed")}</figcaption>
      </figure>
    )
  }
  return (
    <figure
      className="overflow-x-auto rounded-lg border border-line bg-surface p-3"
      tabIndex={0}
      aria-label={text("markdown.diagram")}
    >
      <img
        src={drawing.src}
        alt={source.slice(0, 400)}
        className="mx-auto h-auto"
        style={{ width: drawing.width, maxWidth: "100%", minWidth: 0.6 * drawing.width }}
      />
    </figure>
  )
}

/** What takes longer to draw than anybody waits; drawing cannot be done beside the page. */
const LONGEST = 10_000
const MOST_EDGES = 200

/** A picture cannot use the page's own typeface, so it is measured and drawn in the system's. */
const FONT = "ui-sans-serif, system-ui, sans-serif"
let drawn = 0

interface Drawing {
  readonly src: string
  readonly width: number
}

async function draw(name: string, source: string, dark: boolean): Promise<Drawing> {
  if (source.length > LONGEST) throw new RangeError("The diagram is too long.")
  const { default: mermaid } = await import("mermaid")
  watchDrawingStyles()
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: dark ? "dark" : "neutral",
    htmlLabels: false,
    fontFamily: FONT,
    themeVariables: { fontFamily: FONT, fontSize: "14px" },
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
    maxEdges: MOST_EDGES,
  })
  const id = `${name}-${++drawn}`
  try {
    const { svg } = await mermaid.render(id, withoutMarkup(source))
    return pictureOf(svg, takeDrawingStyle(id))
  } finally {
    takeDrawingStyle(id)
  }
}

/**
 * What could begin a tag becomes the entity for it: the library cleans labels only after a parser has read them as markup.
 * A line break and `<<interface>>` have a meaning of their own and can carry nothing.
 */
function withoutMarkup(source: string): string {
  return source.replaceAll(/<<[\w-]+>>|<br\s*\/?>|<(?=[a-z/!?])/gi, (found) => (found === "<" ? "#lt;" : found))
}

/** The drawing in its own size and with its style, as a picture carries them. */
function pictureOf(svg: string, style: string): Drawing {
  const [, , width = 400, height = 200] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "").split(/\s+/).map(Number)
  const sized = svg.replace(/^<svg([^>]*)>/, (_, attributes: string) => {
    const others = attributes.replace(/ (?:width|height|style)="[^"]*"/g, "")
    return `<svg${others} width="${width}" height="${height}"><style><![CDATA[${style.replaceAll("]]>", "")}]]></style>`
  })
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`, width: Math.ceil(width) }
}
