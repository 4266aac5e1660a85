import { Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

/** For how long a yes to a run's agent counts. */
export type Reach = "" | "run" | "project"

export function Remember({ value, onChange }: { readonly value: Reach; onChange(reach: Reach): void }) {
  const text = useText()
  return (
    <Select
      compact
      aria-label={text("runs.remember")}
      className="max-w-56"
      value={value}
      onChange={({ target }) => onChange(target.value === "run" || target.value === "project" ? target.value : "")}
    >
      <option value="">{text("runs.remember.once")}</option>
      <option value="run">{text("runs.remember.run")}</option>
      <option value="project">{text("runs.remember.project")}</option>
    </Select>
  )
}
