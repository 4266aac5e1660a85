import type { reviews } from "@chorus/contracts"
import { Plus, Trash2 } from "lucide-react"
import { Button, IconButton, Input, Select, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

/** A finding as a person writes it. */
export interface NewFinding {
  readonly severity: reviews.FindingRow["severity"]
  /** A file and line, where it is about one. */
  readonly place: string
  readonly text: string
}

/** What was written, as a review takes it: the place stands before the words. */
export function asFindings(written: readonly NewFinding[]) {
  return written
    .filter(({ text }) => text.trim() !== "")
    .map(({ severity, place, text }) => ({
      severity,
      text: place.trim() === "" ? text.trim() : `\`${place.trim().replaceAll("`", "")}\` ${text.trim()}`,
    }))
}

interface FindingFieldsProps {
  readonly findings: readonly NewFinding[]
  /** Whether a finding can be about a line of a file. */
  readonly places: boolean
  onChange(findings: readonly NewFinding[]): void
}

/** Findings one below the other: how grave, where, and what. */
export function FindingFields({ findings, places, onChange }: FindingFieldsProps) {
  const text = useText()
  const change = (at: number, next: Partial<NewFinding>) =>
    onChange(findings.map((finding, index) => (index === at ? { ...finding, ...next } : finding)))
  return (
    <fieldset className="grid grid-cols-1 gap-3">
      <legend className="mb-1.5 text-sm font-medium text-muted">{text("tasks.review.findings")}</legend>
      {findings.map((finding, index) => (
        <div key={index} className="grid grid-cols-1 gap-1.5">
          <div className="flex items-center gap-2">
            <Select
              compact
              className="w-auto shrink-0"
              aria-label={text("tasks.review.severity", { number: index + 1 })}
              value={finding.severity}
              onChange={(event) => change(index, { severity: event.target.value as NewFinding["severity"] })}
            >
              <option value="blocker">{text("tasks.review.blocker")}</option>
              <option value="note">{text("tasks.review.note")}</option>
            </Select>
            {places ? (
              <Input
                compact
                className="min-w-0 flex-1 font-mono"
                aria-label={text("tasks.review.place", { number: index + 1 })}
                placeholder={text("tasks.review.placeHint")}
                value={finding.place}
                onChange={(event) => change(index, { place: event.target.value })}
              />
            ) : (
              <span className="flex-1" />
            )}
            <IconButton
              icon={Trash2}
              size="sm"
              label={text("tasks.review.removeFinding", { number: index + 1 })}
              onClick={() => onChange(findings.filter((_, at) => at !== index))}
            />
          </div>
          <TextArea
            rows={2}
            aria-label={text("tasks.review.finding", { number: index + 1 })}
            placeholder={text("tasks.review.findingHint")}
            value={finding.text}
            onChange={(event) => change(index, { text: event.target.value })}
          />
        </div>
      ))}
      <span>
        <Button
          size="sm"
          tone="ghost"
          icon={Plus}
          disabled={findings.length >= 100}
          onClick={() => onChange([...findings, { severity: "blocker", place: "", text: "" }])}
        >
          {text("tasks.review.addFinding")}
        </Button>
      </span>
    </fieldset>
  )
}
