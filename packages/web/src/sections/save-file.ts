/** Hands a file over to the browser's downloads. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = Object.assign(document.createElement("a"), { href: address, download: name })
  link.click()
  URL.revokeObjectURL(address)
}
