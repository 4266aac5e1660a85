import type { ChannelId, channels } from "@chorus/contracts"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { Button, Checkbox, Field, IconButton, Input, Menu, MenuItem, Select, toast } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { FormDialog, wordsIn } from "./FormDialog.tsx"
import { Row, Rows } from "./Section.tsx"

const KINDS = ["email", "slack", "ntfy", "telegram"] as const satisfies readonly channels.ChannelKind[]

/** Where a person is called besides this browser. */
export function ChannelsList() {
  const text = useText()
  const { answer, reload } = useOperation("chorus_list_channels", { pageSize: 100 })
  const [adding, setAdding] = useState(false)
  return (
    <div className="mb-4 grid gap-2">
      <div className="flex items-center gap-2">
        <div className="flex-1">
          <h3 className="text-sm font-medium">{text("settings.channels")}</h3>
          <p className="text-sm text-muted">{text("settings.channels.lead")}</p>
        </div>
        <Button icon={Plus} onClick={() => setAdding(true)}>
          {text("settings.channels.add")}
        </Button>
      </div>
      {answer !== undefined && answer.channels.length > 0 && (
        <Rows>
          {answer.channels.map((channel) => (
            <ChannelLine key={channel.uuid} channel={channel} onChanged={reload} />
          ))}
        </Rows>
      )}
      {adding && (
        <NewChannel
          onClose={() => setAdding(false)}
          onAdded={() => {
            setAdding(false)
            reload()
          }}
        />
      )}
    </div>
  )
}

function ChannelLine({ channel, onChanged }: { readonly channel: channels.ChannelRow; onChanged(): void }) {
  const text = useText()
  const remove = useAction("chorus_remove_channel")
  const attempt = useAction("chorus_try_channel")
  const channelUuid = channel.uuid as ChannelId
  const tryIt = async () => {
    if ((await attempt.run({ channelUuid })) !== undefined) toast(text("settings.channels.tried"))
  }
  return (
    <Row>
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={channel.name}>
          {channel.name}
        </p>
        <p className="text-sm text-muted">{text(`settings.channels.${channel.kind}`)}</p>
      </div>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={text("action.moreOf", { name: channel.name })} />}>
        <MenuItem onSelect={() => void tryIt()}>{text("settings.channels.try")}</MenuItem>
        <MenuItem danger onSelect={() => void remove.run({ channelUuid }).then(onChanged)}>
          {text("settings.channels.remove")}
        </MenuItem>
      </Menu>
    </Row>
  )
}

function NewChannel({ onClose, onAdded }: { onClose(): void; onAdded(): void }) {
  const text = useText()
  const [kind, setKind] = useState<channels.ChannelKind>("email")
  const [allowPrivate, setAllowPrivate] = useState(false)
  const add = useAction("chorus_add_channel")
  const submit = async (form: FormData) => {
    const [address, chat] = [wordsIn(form, "address"), wordsIn(form, "chat")]
    const added = await add.run({
      kind,
      allowPrivate,
      ...(address === "" ? {} : { address }),
      ...(chat === "" ? {} : { chat }),
    })
    if (added !== undefined) onAdded()
  }
  return (
    <FormDialog
      title={text("settings.channels.add")}
      submit={text("settings.channels.add")}
      busy={add.busy}
      onClose={onClose}
      onSubmit={(form) => void submit(form)}
    >
      <Field
        label={text("settings.channels.kind")}
        {...(kind === "email" ? { hint: text("settings.channels.email.hint") } : {})}
      >
        {(ids) => (
          <Select
            {...ids}
            value={kind}
            onChange={(event) => setKind(event.target.value as channels.ChannelKind)}
            autoFocus
          >
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {text(`settings.channels.${each}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {kind !== "email" && (
        <Field
          label={text(`settings.channels.${kind}.address`)}
          {...(kind === "telegram" ? {} : { hint: text(`settings.channels.${kind}.hint`) })}
        >
          {(ids) => <Input {...ids} name="address" required autoComplete="off" />}
        </Field>
      )}
      {kind === "telegram" && (
        <Field label={text("settings.channels.telegram.chat")} hint={text("settings.channels.telegram.hint")}>
          {(ids) => <Input {...ids} name="chat" required />}
        </Field>
      )}
      {(kind === "slack" || kind === "ntfy") && (
        <Checkbox checked={allowPrivate} onChange={setAllowPrivate} label={text("settings.channels.private")} />
      )}
    </FormDialog>
  )
}
