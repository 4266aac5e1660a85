import type { notifications } from "@chorus/contracts"
import { Switch } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Pending, Row, Rows, Section } from "./Section.tsx"
import { PushSwitch } from "./PushSwitch.tsx"

export function NotificationsSection() {
  const text = useText()
  const loaded = useOperation("chorus_get_notification_preferences", {})
  const { answer } = loaded
  const update = useAction("chorus_update_notification_preferences")
  if (answer === undefined) return <Pending of={loaded} />
  const set = (action: notifications.NotificationAction, wanted: boolean) =>
    void update.run(
      { preferences: { [action]: wanted } },
      {
        amend: [
          amending("chorus_get_notification_preferences", {}, ({ preferences }) => ({
            preferences: { ...preferences, [action]: wanted },
          })),
        ],
      },
    )
  return (
    <Section title={text("settings.notifications")} lead={text("settings.prefs.lead")}>
      <div className="mb-4">
        <Rows>
          <Row>
            <div className="flex-1">
              <PushSwitch />
            </div>
          </Row>
        </Rows>
      </div>
      <Rows>
        {(Object.entries(answer.preferences) as [notifications.NotificationAction, boolean][]).map(
          ([action, wanted]) => (
            <Row key={action}>
              <div className="flex-1">
                <Switch
                  label={text(`settings.prefs.${action}`)}
                  checked={wanted}
                  onChange={(next) => set(action, next)}
                />
              </div>
            </Row>
          ),
        )}
      </Rows>
    </Section>
  )
}
