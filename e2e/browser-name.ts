import { chromiumVersion, findChromium, findSmallChromium } from "@chorus/testing"

/** Says which browsers a run has: figures and faults differ from one to the next. */
export async function setup(): Promise<void> {
  for (const path of new Set([await findSmallChromium(), await findChromium()]))
    console.info(`the browser: ${chromiumVersion(path)}, ${path}`)
}
