import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Furnished, furnish } from "./furnish.ts"
import { openStage, type Stage } from "./stage.ts"
import { signIn, visit } from "./visitor.ts"

const HOSTILE = `# <img src=x onerror="window.taken = 1">

<script>window.taken = 2</script>

[press me](javascript:window.taken=3) and [elsewhere](https://example.com/page)

![tracking](https://tracker.example.com/pixel.png)

<iframe src="https://example.com"></iframe> <style>body { display: none }</style>

\`\`\`mermaid
flowchart LR
  a["<img src=x onerror=window.taken=4>"] --> b
  click a "javascript:window.taken=5"
\`\`\`
`

let stage: Stage
let all: Furnished

beforeAll(async () => {
  stage = await openStage()
  all = await furnish(stage)
})

afterAll(() => stage.close())

describe("text from agents", () => {
  it("is data: it runs nothing, fetches nothing and leads nowhere unexpected", async () => {
    const { tasks } = await all.builder.call("chorus_create_tasks", {
      projectUuid: all.projectUuid,
      tasks: [
        {
          title: 'Safe <b onclick="x">title</b> {{7*7}}',
          description: HOSTILE,
          acceptanceCriteriaItems: [{ description: "It is data" }],
        },
      ],
    })
    const taskUuid = tasks[0]?.uuid ?? ""
    await all.builder.call("chorus_add_comment", { targetType: "task", targetUuid: taskUuid, content: HOSTILE })
    const { page, faults, context } = await visit(stage)
    const dialogs: string[] = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await signIn(page, stage.signIn)
    await page.goto(`${stage.url}/projects/${all.projectUuid}/tasks/${taskUuid}`)
    await page.getByText("press me").first().waitFor()
    await page.getByText('Safe <b onclick="x">title</b> {{7*7}}').first().waitFor()

    expect(await page.evaluate(() => (globalThis as { taken?: number }).taken)).toBeUndefined()
    const links = await page
      .locator("main a")
      .evaluateAll((found) =>
        found.map((link) => ({ href: (link as HTMLAnchorElement).href, rel: (link as HTMLAnchorElement).rel })),
      )
    expect(links.filter(({ href }) => !/^https?:/.test(href))).toEqual([])
    expect(
      links.filter(({ href }) => href.startsWith("https://example.com")).every(({ rel }) => rel.includes("noopener")),
    ).toBe(true)
    expect(await page.locator("main iframe, main script").count()).toBe(0)
    // Nothing was fetched from another host, and no policy had to step in.
    expect(faults).toEqual([])
    expect(dialogs).toEqual([])
    await context.close()
  })
})

describe("the page itself", () => {
  it("is served under a policy without inline code", async () => {
    const response = await fetch(`${stage.url}/projects/x/board`, { headers: { accept: "text/html" } })
    const policy = response.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain("unsafe-eval")
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)/)
  })
})
