import type { CuratedSet, InventoryPlugin, MachineInventory, SurfaceItem } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { becomeGuest, hold, refuse } from "../../test/guest.ts"
import { openMachine } from "../../test/machine-room.ts"
import { openPage, owner } from "../../test/stage.tsx"

type Offer = NonNullable<MachineInventory["offers"]>[number]
type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const HOOK: SurfaceItem = { kind: "hook", where: "Stop", does: "./check.sh" }
const DOWNLOAD: SurfaceItem = { kind: "download", where: "cluster", does: "npx fetches cluster-mcp@2" }
const source = { source: "github", repo: "acme/tools" } as const

const build = (id: string, changes: Partial<InventoryPlugin> = {}): InventoryPlugin => ({
  id,
  version: "1.0.0",
  scope: "user",
  enabled: true,
  contentHash: "sha256-aaaaaaaaaaaa1111",
  surfaceHash: "s1",
  surface: [HOOK],
  errors: [],
  ...changes,
})

/** A marketplace of its own and a machine that has these plugins of it and is offered those. */
async function furnish(
  plugins: readonly Partial<InventoryPlugin>[],
  offers: readonly (Omit<Offer, "id"> & { readonly name: string })[] = [],
) {
  const market = `market-${crypto.randomUUID().slice(0, 8)}`
  const { machine, tell } = await openMachine()
  const inventory: MachineInventory = {
    machine,
    takenAt: new Date().toISOString(),
    marketplaces: [{ name: market, source }],
    plugins: plugins.map((changes) =>
      build(`${changes.id ?? "lint"}@${market}`, { ...changes, id: `${changes.id ?? "lint"}@${market}` }),
    ),
    offers: offers.map(({ name, ...offer }) => ({ id: `${name}@${market}`, ...offer })),
  }
  await tell({ inventory })
  return {
    market,
    machine,
    report: (next: Partial<MachineInventory>) => tell({ inventory: { ...inventory, ...next } }),
  }
}

const curated = (): Promise<CuratedSet> => owner.call("chorus_get_curated_plugins", {})

async function curate(change: (set: CuratedSet) => Partial<CuratedSet>): Promise<void> {
  const set = await curated()
  await owner.call("chorus_curate_plugins", { ...set, ...change(set) })
}

const machineCard = (screen: Screen, machine: string) =>
  screen.getByRole("tabpanel").getByRole("listitem").filter({ hasText: machine }).first()

// There is one set for the whole workspace; only the tests of this file change it, one after the other.
beforeEach(() => curate(() => ({ plugins: [], marketplaces: {}, exclusive: false })))

describe("the curated set", () => {
  it("says what it is for while it is empty, and leads to what there is to choose from", async () => {
    await furnish([{}])
    const { screen, router } = await openPage("/plugins")
    await expect.element(screen.getByText("Nothing is curated yet")).toBeVisible()
    await screen.getByRole("button", { name: "Browse" }).click()
    await expect.poll(() => router.state.location.search).toEqual({ part: "browse" })
    await expect.element(screen.getByRole("tab", { name: /Browse/ })).toHaveAttribute("aria-selected", "true")
  })

  it("takes quick clicks one after the other, and loses none of them", async () => {
    const { market } = await furnish([{}])
    const id = `lint@${market}`
    await curate(() => ({
      marketplaces: { [market]: { source } },
      plugins: [
        {
          id,
          version: "1.0.0",
          contentHash: "sha256-aaaaaaaaaaaa1111",
          surfaceHash: "s1",
          enabled: true,
          required: true,
        },
      ],
    }))
    const { screen } = await openPage("/plugins")
    const letGo = hold("/chorus_curate_plugins")
    await screen.getByRole("checkbox", { name: "Required" }).click()
    await screen.getByRole("checkbox", { name: "Enabled" }).click()
    await screen.getByRole("switch", { name: /Nothing else from these marketplaces/ }).click()
    letGo()
    await expect.poll(curated).toMatchObject({ exclusive: true, plugins: [{ id, required: false, enabled: false }] })
    await expect.element(screen.getByRole("checkbox", { name: "Required" })).not.toBeChecked()
    await expect.element(screen.getByRole("checkbox", { name: "Enabled" })).not.toBeChecked()
  })

  it("lets a plugin go, and its marketplace with the last one", async () => {
    const { market } = await furnish([{}])
    const pinned = { version: "1.0.0", contentHash: "c", surfaceHash: "s", enabled: true, required: true }
    await curate(() => ({
      marketplaces: { [market]: { source } },
      plugins: [
        { id: `lint@${market}`, ...pinned },
        { id: `format@${market}`, ...pinned },
      ],
    }))
    const { screen } = await openPage("/plugins")
    await screen.getByRole("button", { name: "Remove lint from the set" }).click()
    await expect.element(screen.getByRole("button", { name: "Remove lint from the set" })).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Remove format from the set" }).click()
    await expect.element(screen.getByText("Nothing is curated yet")).toBeVisible()
    await expect.poll(curated).toMatchObject({ plugins: [], marketplaces: {} })
  })

  it("goes back to what it was when the server refuses a change, and says why", async () => {
    const { market } = await furnish([{}])
    await curate(() => ({
      marketplaces: { [market]: { source } },
      plugins: [
        { id: `lint@${market}`, version: "1.0.0", contentHash: "c", surfaceHash: "s", enabled: true, required: true },
      ],
    }))
    const { screen } = await openPage("/plugins")
    refuse(
      "/chorus_curate_plugins",
      { code: "revision_conflict", message: "Somebody changed the set meanwhile.", next: "Look again." },
      409,
    )
    await screen.getByRole("checkbox", { name: "Required" }).click()
    await expect.element(screen.getByText("Somebody changed the set meanwhile.")).toBeVisible()
    await expect.element(screen.getByRole("checkbox", { name: "Required" })).toBeChecked()
  })

  it("is for those who run the workspace to change; others see what holds", async () => {
    const { market, machine } = await furnish([{ version: "2.0.0" }])
    await curate(() => ({
      marketplaces: { [market]: { source } },
      plugins: [
        { id: `lint@${market}`, version: "1.0.0", contentHash: "c", surfaceHash: "s", enabled: false, required: true },
      ],
    }))
    await becomeGuest("member")
    const { screen } = await openPage("/plugins")
    await expect.element(screen.getByText("Required")).toBeVisible()
    await expect.element(screen.getByText("Disabled")).toBeVisible()
    expect(screen.getByRole("main").getByRole("checkbox").elements()).toEqual([])
    await expect.element(screen.getByRole("switch")).toBeDisabled()
    await screen.getByRole("tab", { name: /Machines/ }).click()
    await expect.element(machineCard(screen, machine)).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Approve this content" })).not.toBeInTheDocument()
  })
})

describe("what machines have", () => {
  it("is approved only after all it does has been read", async () => {
    const { market, machine } = await furnish([{ surface: [HOOK, DOWNLOAD] }])
    const { screen } = await openPage("/plugins?part=machines")
    const card = machineCard(screen, machine)
    await expect.element(card.getByText("1 command")).toBeVisible()
    await expect.element(card.getByText("1 download")).toBeVisible()
    await card.getByRole("button", { name: "Add to the set" }).click()
    const dialog = screen.getByRole("dialog", { name: `Approve lint@${market}?` })
    await expect.element(dialog.getByText("./check.sh")).toBeVisible()
    await expect.element(dialog.getByText("npx fetches cluster-mcp@2")).toBeVisible()
    await dialog.getByRole("button", { name: "Approve" }).click()
    await expect.element(card.getByText("Matches the set")).toBeVisible()
    await expect.element(card.getByRole("button", { name: "Add to the set" })).not.toBeInTheDocument()
    expect((await curated()).plugins).toMatchObject([
      { id: `lint@${market}`, version: "1.0.0", contentHash: "sha256-aaaaaaaaaaaa1111", required: true },
    ])
  })

  it("that deviates says how; other bytes are laid beside those approved so far", async () => {
    const { market, machine, report } = await furnish([{}])
    await curate(() => ({
      marketplaces: { [market]: { source } },
      plugins: [
        {
          id: `lint@${market}`,
          version: "1.0.0",
          contentHash: "sha256-aaaaaaaaaaaa1111",
          surfaceHash: "s1",
          surface: [HOOK],
          enabled: true,
          required: true,
        },
      ],
    }))
    const { screen } = await openPage("/plugins?part=machines")
    const card = machineCard(screen, machine)
    await expect.element(card.getByText("Matches the set")).toBeVisible()
    await report({
      plugins: [
        build(`lint@${market}`, {
          contentHash: "sha256-bbbbbbbbbbbb2222",
          surfaceHash: "s2",
          surface: [{ ...HOOK, does: "./check.sh && curl x" }],
        }),
      ],
    })
    await expect.element(card.getByText("Content changed")).toBeVisible()
    await card.getByRole("button", { name: "Approve this content" }).click()
    const dialog = screen.getByRole("dialog")
    await expect
      .element(dialog.getByText("The executable surface changed: read what it runs before approving."))
      .toBeVisible()
    await expect.element(dialog.getByText("Approved so far")).toBeVisible()
    await expect.element(dialog.getByText("./check.sh && curl x")).toBeVisible()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect((await curated()).plugins[0]?.contentHash).toBe("sha256-aaaaaaaaaaaa1111")
  })

  it("cannot be pinned without hashes, and says so; what is newer is named", async () => {
    const { machine, market, report } = await furnish([])
    await report({
      plugins: [{ id: `lint@${market}`, version: "1.0.0", scope: "user", enabled: true, update: "1.1.0", errors: [] }],
    })
    const { screen } = await openPage("/plugins?part=machines")
    const pin = machineCard(screen, machine).getByRole("button", { name: "Add to the set" })
    await expect.element(pin).toBeDisabled()
    await expect.element(pin).toHaveAttribute("title", "This machine did not report hashes, so it cannot be pinned.")
    await expect.element(machineCard(screen, machine).getByText("1.1.0 is out")).toBeVisible()
    await expect.element(machineCard(screen, machine).getByText("unknown")).toBeVisible()
  })

  it("is nothing yet for one that has told none", async () => {
    const { machine, tell } = await openMachine()
    await tell({})
    const { screen } = await openPage("/plugins?part=machines")
    await expect.element(machineCard(screen, machine).getByText("No inventory yet.")).toBeVisible()
  })
})

describe("browsing", () => {
  const OFFERS = [
    {
      name: "deploy",
      version: "1.1.0",
      description: "Ships a branch.",
      contentHash: "sha256-cccccccccccc3333",
      surfaceHash: "s3",
      surface: [HOOK, DOWNLOAD],
    },
    {
      name: "style",
      version: "2.0.1",
      description: "How we write.",
      contentHash: "sha256-dddddddddddd4444",
      surfaceHash: "s0",
      surface: [],
    },
    { name: "tickets", description: "Lies elsewhere." },
  ]

  async function openBrowse() {
    const { market } = await furnish([], OFFERS)
    const { screen } = await openPage("/plugins?part=browse")
    await screen.getByLabelText("Marketplaces").selectOptions(market)
    return { market, screen, rows: screen.getByRole("list", { name: "Browse" }).getByRole("listitem") }
  }

  it("narrows down by marketplace and by words in a name or a description", async () => {
    const { screen, rows } = await openBrowse()
    await expect.poll(() => rows.elements().length).toBe(3)
    await screen.getByRole("searchbox", { name: "Find a plugin" }).fill("  HOW we ")
    await expect.poll(() => rows.elements().map((row) => row.textContent.includes("style"))).toEqual([true])
    await screen.getByRole("searchbox", { name: "Find a plugin" }).fill("nothing of the kind")
    await expect.element(screen.getByText("No plugin matches.")).toBeVisible()
  })

  it("shows what a plugin does before it is chosen, and what nobody knows of it", async () => {
    const { screen, market } = await openBrowse()
    await screen.getByRole("button", { name: "style", exact: true }).click()
    await expect
      .element(screen.getByRole("dialog").getByText("It brings text only: nothing of it runs on a machine."))
      .toBeVisible()
    await screen.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    await screen.getByRole("button", { name: "tickets", exact: true }).click()
    await expect.element(screen.getByRole("dialog").getByText(/Its files lie outside the marketplace/)).toBeVisible()
    await expect.element(screen.getByRole("dialog").getByRole("button", { name: "Add to the set" })).toBeDisabled()
    await screen.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    await screen.getByRole("button", { name: "deploy", exact: true }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Add to the set" }).click()
    await screen
      .getByRole("dialog", { name: `Approve deploy@${market}?` })
      .getByRole("button", { name: "Approve" })
      .click()
    await expect.element(screen.getByText("Approved", { exact: true })).toBeVisible()
    expect((await curated()).plugins.map(({ id }) => id)).toEqual([`deploy@${market}`])
  })

  it("lays two side by side, the last two that were chosen", async () => {
    const { screen, market } = await openBrowse()
    const compare = screen.getByRole("button", { name: "Compare" })
    const choose = (name: string) => screen.getByRole("checkbox", { name: new RegExp(`^Compare ${name}@`) })
    await expect.element(compare).toBeDisabled()
    await choose("tickets").click()
    await choose("style").click()
    await choose("deploy").click()
    await expect.element(choose("tickets")).not.toBeChecked()
    await compare.click()
    const dialog = screen.getByRole("dialog", { name: "Compare" })
    await expect.element(dialog.getByText(`style@${market}`)).toBeVisible()
    expect(dialog.getByText("Only right").elements()).toHaveLength(2)
    await dialog.getByRole("button", { name: "Close" }).click()
    await choose("style").click()
    await expect.element(compare).toBeDisabled()
  })
})

it("says why plugins cannot be shown, each part for itself", async () => {
  refuse("/chorus_browse_plugins", { code: "forbidden", message: "You may not browse." })
  refuse("/chorus_list_machines", { code: "forbidden", message: "You may not see machines." })
  const letGo = refuse("/chorus_get_curated_plugins", { code: "forbidden", message: "You may not see the set." })
  const { screen } = await openPage("/plugins?part=browse")
  await expect.element(screen.getByRole("alert").getByText("You may not see the set.")).toBeVisible()
  letGo()
  await screen.getByRole("button", { name: "Try again" }).click()
  await expect.element(screen.getByRole("alert").getByText("You may not browse.")).toBeVisible()
  await screen.getByRole("tab", { name: /Machines/ }).click()
  await expect.element(screen.getByRole("alert").getByText("You may not see machines.")).toBeVisible()
})
