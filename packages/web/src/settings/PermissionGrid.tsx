import type { Permission } from "@chorus/contracts"
import { Checkbox } from "radix-ui"
import { Check } from "lucide-react"
import { useText } from "../i18n/language.ts"
import { ACTIONS, RESOURCES } from "./permission-set.ts"

interface PermissionGridProps {
  readonly value: ReadonlySet<Permission>
  onChange(value: ReadonlySet<Permission>): void
}

/** The fifteen bits, one by one. */
export function PermissionGrid({ value, onChange }: PermissionGridProps) {
  const text = useText()
  const toggle = (bit: Permission) =>
    onChange(value.has(bit) ? new Set([...value].filter((each) => each !== bit)) : new Set([...value, bit]))
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="text-xs text-faint">
          <td />
          {ACTIONS.map((action) => (
            <th key={action} scope="col" className="pb-1 font-medium">
              {text(`settings.action.${action}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {RESOURCES.map((resource) => (
          <tr key={resource} className="border-t border-line">
            <th scope="row" className="py-1.5 text-left font-normal">
              {text(`settings.resource.${resource}`)}
            </th>
            {ACTIONS.map((action) => {
              const bit: Permission = `${resource}:${action}`
              return (
                <td key={action} className="text-center">
                  <Checkbox.Root
                    checked={value.has(bit)}
                    onCheckedChange={() => toggle(bit)}
                    aria-label={text("settings.agents.permission", {
                      action: text(`settings.action.${action}`),
                      resource: text(`settings.resource.${resource}`),
                    })}
                    className="inline-grid size-4 cursor-pointer place-items-center rounded-sm border border-line-strong bg-surface align-middle data-[state=checked]:border-accent data-[state=checked]:bg-accent"
                  >
                    <Checkbox.Indicator>
                      <Check aria-hidden className="size-3 text-accent-ink" strokeWidth={3} />
                    </Checkbox.Indicator>
                  </Checkbox.Root>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
