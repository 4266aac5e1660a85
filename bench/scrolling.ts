import type { Page } from "playwright-core"

/** How long each frame took while the longest list of a page was scrolled through, in milliseconds. */
export function scrollFrames(page: Page, pixels: number): Promise<number[]> {
  return page.evaluate(async (step) => {
    const box = [...document.querySelectorAll<HTMLElement>("*")].find(
      (element) =>
        element.scrollHeight > element.clientHeight + 5000 && getComputedStyle(element).overflowY !== "visible",
    )
    const frames: number[] = []
    let last = performance.now()
    for (let at = 0; at < 240; at++) {
      ;(box ?? document.documentElement).scrollBy(0, step)
      await new Promise((frame) => requestAnimationFrame(() => frame(undefined)))
      frames.push(performance.now() - last)
      last = performance.now()
    }
    return frames
  }, pixels)
}
