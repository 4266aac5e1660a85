import { defaultParseSearch, defaultStringifySearch, useNavigate } from "@tanstack/react-router"
import { Bookmark, Link2, Plus, Trash2, Users } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { views } from "@chorus/contracts"
import { Button, Menu, MenuItem, MenuLabel, MenuLine, toast, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { copyText } from "../settings/copy-text.ts"
import { boardSearch } from "../shell/board-search.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followViews } from "./follow-views.ts"
import { type Layout, LAYOUT_PATH } from "./layouts.ts"
import { useItemSearch } from "./use-item-search.ts"

const SaveView = lazy(async () => ({ default: (await import("./SaveView.tsx")).SaveView }))

interface ViewsMenuProps {
  readonly projectUuid: string
  readonly layout: Layout
}

/** Ways to look that somebody named; the address has all of one, so that a link shows the same. */
export function ViewsMenu({ projectUuid, layout }: ViewsMenuProps) {
  const text = useText()
  const { search } = useItemSearch()
  const [saving, setSaving] = useState(false)
  const { task: _, ...shown } = search
  const query = defaultStringifySearch(shown).replace(/^\?/, "")
  const copy = () => copyText(location.href).then(() => toast(text("items.linkCopied")), toastError)
  return (
    <>
      <Menu
        trigger={
          <Button icon={Bookmark}>
            <span className="max-sm:sr-only">{text("items.views")}</span>
          </Button>
        }
      >
        <Choices projectUuid={projectUuid} />
        <MenuItem icon={Plus} onSelect={() => setSaving(true)}>
          {text("items.saveView")}
        </MenuItem>
        <MenuItem icon={Link2} onSelect={() => void copy()}>
          {text("items.copyLink")}
        </MenuItem>
      </Menu>
      <Suspense>
        {saving && <SaveView view={{ projectUuid, layout, query }} onClose={() => setSaving(false)} />}
      </Suspense>
    </>
  )
}

function Choices({ projectUuid }: { readonly projectUuid: string }) {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const { answer, reload } = useOperation("chorus_list_views", { projectUuid, pageSize: 100 }, followViews)
  const remove = useAction("chorus_delete_view")
  const open = ({ layout, query }: views.ViewRow) =>
    void navigate({
      to: LAYOUT_PATH[layout],
      params: { projectUuid },
      search: boardSearch(defaultParseSearch(`?${query}`)),
    })
  const mine = (answer?.views ?? []).filter(({ ownerUuid }) => ownerUuid === person.uuid)
  const others = (answer?.views ?? []).filter(({ ownerUuid }) => ownerUuid !== person.uuid)
  if (mine.length + others.length === 0) return null
  return (
    <>
      {mine.length > 0 && <MenuLabel>{text("items.myViews")}</MenuLabel>}
      {mine.map((view) => (
        <MenuItem key={view.uuid} icon={view.shared ? Users : Bookmark} onSelect={() => open(view)}>
          {view.name}
        </MenuItem>
      ))}
      {others.length > 0 && <MenuLabel>{text("items.sharedViews")}</MenuLabel>}
      {others.map((view) => (
        <MenuItem key={view.uuid} icon={Users} onSelect={() => open(view)}>
          {view.name}
        </MenuItem>
      ))}
      <MenuLine />
      {mine.map(({ uuid, name }) => (
        <MenuItem
          key={uuid}
          icon={Trash2}
          onSelect={() => void remove.run({ viewUuid: uuid }).then((gone) => gone && reload())}
        >
          {text("items.deleteView", { name })}
        </MenuItem>
      ))}
      {mine.length > 0 && <MenuLine />}
    </>
  )
}
