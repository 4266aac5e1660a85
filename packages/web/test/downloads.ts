import { onTestFinished } from "vitest"

/** What the browser is given to save until the test ends, instead of saving it. */
export function takeDownloads(): File[] {
  const saved: File[] = []
  const blobs = new Map<string, Blob>()
  const { createObjectURL } = URL
  const { click } = HTMLAnchorElement.prototype
  URL.createObjectURL = (blob: Blob) => {
    const address = createObjectURL.call(URL, blob)
    blobs.set(address, blob)
    return address
  }
  HTMLAnchorElement.prototype.click = function () {
    const blob = blobs.get(this.href)
    if (blob === undefined) return click.call(this)
    saved.push(new File([blob], this.download, { type: blob.type }))
  }
  onTestFinished(() => {
    URL.createObjectURL = createObjectURL
    HTMLAnchorElement.prototype.click = click
  })
  return saved
}
