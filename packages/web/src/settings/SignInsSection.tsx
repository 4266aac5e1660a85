import { Badge, Button } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { browserName } from "./browser-name.ts"
import { Pending, Row, Rows, Section } from "./Section.tsx"

export function SignInsSection() {
  const text = useText()
  const format = useFormat()
  const { signInUuid } = useSignedIn()
  const loaded = useOperation("chorus_list_sign_ins", { pageSize: 100 })
  const { answer, reload } = loaded
  const end = useAction("chorus_end_sign_in")
  const endAll = useAction("chorus_end_sign_ins")
  if (answer === undefined) return <Pending of={loaded} rows={2} />
  const others = answer.signIns.some(({ uuid }) => uuid !== signInUuid)
  const leaveOthers = async () => {
    await endAll.run(signInUuid === null ? {} : { keepSignInUuid: signInUuid })
    reload()
  }
  return (
    <Section
      title={text("settings.signIns")}
      lead={text("settings.signIns.lead")}
      action={
        others && (
          <Button tone="danger" disabled={endAll.busy} onClick={() => void leaveOthers()}>
            {text("settings.signIns.endAll")}
          </Button>
        )
      }
    >
      <Rows>
        {answer.signIns.map((signIn) => (
          <Row key={signIn.uuid}>
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2 font-medium">
                {browserName(signIn.userAgent) ?? text("settings.signIns.unknown")}
                {signIn.uuid === signInUuid && <Badge tone="done">{text("settings.signIns.here")}</Badge>}
              </p>
              <p className="text-xs text-faint">
                {text("settings.signIns.used", { when: format.ago(signIn.lastUsedAt) })}
              </p>
            </div>
            {signIn.uuid !== signInUuid && (
              <Button
                size="sm"
                disabled={end.busy}
                onClick={() => void end.run({ signInUuid: signIn.uuid }).then(reload)}
              >
                {text("settings.signIns.end")}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
    </Section>
  )
}
