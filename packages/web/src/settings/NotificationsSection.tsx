import type { InputOf, notifications } from "@chorus/contracts"
import { Checkbox, Field, Select, Switch } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { ChannelsList } from "./ChannelsList.tsx"
import { Pending, Row, Rows, Section } from "./Section.tsx"
import { PushSwitch } from "./PushSwitch.tsx"

export function NotificationsSection() {
  const text = useText()
  const loaded = useOperation("chorus_get_notification_preferences", {})
  const { answer } = loaded
  const update = useAction("chorus_update_notification_preferences")
  if (answer === undefined) return <Pending of={loaded} />
  const set = (changes: InputOf<typeof notifications.updateNotificationPreferences>) =>
    void update.run(changes, {
      amend: [
        amending("chorus_get_notification_preferences", {}, (now) => ({
          preferences: { ...now.preferences, ...changes.preferences },
          push: { ...now.push, ...changes.push },
          digest: changes.digest ?? now.digest,
        })),
      ],
    })
  const actions = Object.keys(answer.preferences) as notifications.NotificationAction[]
  return (
    <Section title={text("settings.notifications")} lead={text("settings.prefs.lead")}>
      <div className="mb-4">
        <Rows>
          <Row>
            <div className="flex-1">
              <PushSwitch />
            </div>
          </Row>
          <Row>
            <div className="flex-1">
              <Field label={text("settings.digest")} hint={text("settings.digest.hint")}>
                {(ids) => (
                  <Select
                    {...ids}
                    compact
                    className="w-56"
                    value={answer.digest}
                    onChange={(event) => set({ digest: event.target.value as notifications.Digest })}
                  >
                    {(["off", "hourly", "daily"] as const).map((each) => (
                      <option key={each} value={each}>
                        {text(`settings.digest.${each}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            </div>
          </Row>
        </Rows>
      </div>
      <ChannelsList />
      <h3 className="mb-2 text-sm font-medium">{text("settings.prefs.which")}</h3>
      <Rows>
        {actions.map((action) => (
          <Row key={action}>
            <div className="flex-1">
              <Switch
                label={text(`settings.prefs.${action}`)}
                checked={answer.preferences[action]}
                onChange={(wanted) => set({ preferences: { [action]: wanted } })}
              />
            </div>
            <PushBox
              kind={action}
              disabled={!answer.preferences[action]}
              checked={answer.push[action] && answer.preferences[action]}
              onChange={(wanted) => set({ push: { [action]: wanted } })}
            />
          </Row>
        ))}
        <Row>
          <p className="flex-1 text-sm">{text("settings.prefs.terminal_finished")}</p>
          <PushBox
            kind="terminal_finished"
            checked={answer.push.terminal_finished}
            onChange={(wanted) => set({ push: { terminal_finished: wanted } })}
          />
        </Row>
      </Rows>
    </Section>
  )
}

interface PushBoxProps {
  readonly kind: notifications.CallKind
  readonly checked: boolean
  readonly disabled?: boolean
  onChange(wanted: boolean): void
}

function PushBox({ kind, ...box }: PushBoxProps) {
  const text = useText()
  return (
    <Checkbox
      {...box}
      label={
        <>
          {text("settings.prefs.push")}
          <span className="sr-only">{`: ${text(`settings.prefs.${kind}`)}`}</span>
        </>
      }
    />
  )
}
