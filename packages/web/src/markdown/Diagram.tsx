import { useEffect, useId, useState } from "react"
import { Skeleton } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"
import { CodeBlock } from "./CodeBlock.tsx"

/**
 * A mermaid drawing, shown as a picture: whatever the text made the library draw, a picture runs nothing and leads nowhere.
 * Where it cannot be drawn, the text itself is shown.
 */
export function Diagram({ source }: { readonly source: string }) {
  const text = useText()
  const id = useId().replaceAll(/[^\w-]/g, "")
  const [drawing, setDrawing] = useState<{ readonly src: string; readonly width: number } | "failed">()
  useEffect(() => {
    let wanted = true
    draw(`diagram-${id}`, source).then(
      (made) => wanted && setDrawing(made),
      () => wanted && setDrawing("failed"),
    )
    return () => {
      wanted = false
    }
  }, [id, source])
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
    <figure className="overflow-x-auto rounded-lg border border-line bg-surface p-3" tabIndex={0} aria-label={text("markdown.diagram")}>
      <img src={drawing.src} alt={source.slice(0, 400)} width={drawing.width} className="mx-auto max-w-none" />
    </figure>
  )
}

let drawn = 0

async function draw(id: string, source: string): Promise<{ readonly src: string; readonly width: number }> {
  const { default: mermaid } = await import("mermaid")
  const dark = document.documentElement.dataset["theme"] === "dark"
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "neutral", htmlLabels: false, flowchart: { htmlLabels: false }, suppressErrorRendering: true })
  const { svg } = await mermaid.render(`${id}-${++drawn}`, source)
  const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement
  const [, , width = 400, height = 200] = (drawing.getAttribute("viewBox") ?? "").split(/\s+/).map(Number)
  drawing.setAttribute("width", String(width))
  drawing.setAttribute("height", String(height))
  drawing.removeAttribute("style")
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`, width: Math.ceil(width) }
}
