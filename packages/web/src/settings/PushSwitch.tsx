import { useEffect, useState } from "react"
import { Switch, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { endPush, type PushState, pushState, startPush } from "./push-browser.ts"

/** Whether this browser is called, also when no page is open, as an agent needs the person or has finished. */
export function PushSwitch() {
  const text = useText()
  const get = useAction("chorus_get_push")
  const subscribe = useAction("chorus_subscribe_push")
  const unsubscribe = useAction("chorus_unsubscribe_push")
  const [state, setState] = useState<PushState | "asking">("asking")
  const look = () => pushState().then(setState, () => setState("impossible"))
  useEffect(() => void look(), [])

  const turnOn = async () => {
    const known = await get.run({})
    const address = known === undefined ? undefined : await startPush(known.publicKey)
    if (address !== undefined && (await subscribe.run(address)) === undefined) await endPush()
  }
  const turnOff = async () => {
    const endpoint = await endPush()
    if (endpoint !== undefined) await unsubscribe.run({ endpoint })
  }
  const turn = (on: boolean) => {
    setState("asking")
    void (on ? turnOn() : turnOff()).catch(toastError).then(look)
  }
  const hint =
    state === "refused" || state === "impossible" ? text(`settings.push.${state}`) : text("settings.push.lead")
  return (
    <Switch
      label={text("settings.push")}
      hint={hint}
      checked={state === "on"}
      disabled={state !== "on" && state !== "off"}
      onChange={turn}
    />
  )
}
