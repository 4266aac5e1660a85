import { useState } from "react"
import { Input } from "../design/index.ts"

interface DayFieldProps {
  readonly label: string
  readonly value: string | null
  readonly className?: string
  onChange(day: string | null): void
}

/** While a year is typed the browser tells of the years 2, 20 and 202; a day is one somebody could mean. */
const FIRST_DAY = "2000-01-01"

/** A day, taken once it is whole; an emptied field counts when it is left. */
export function DayField({ label, value, className, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <Input
      compact
      type="date"
      {...(className === undefined ? {} : { className })}
      aria-label={label}
      title={label}
      value={typed ?? value ?? ""}
      onChange={(event) => {
        const day = event.target.value
        setTyped(day)
        if (day >= FIRST_DAY && day !== value) onChange(day)
      }}
      onBlur={() => {
        if (typed === "" && value !== null) onChange(null)
        setTyped(undefined)
      }}
    />
  )
}
