import { hueOf, Nothing } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { Chart } from "./Chart.tsx"
import { placed } from "./chart.ts"

interface TimelineProps {
  readonly projectUuid: string
  readonly since: string
}

/** Less than this is too little to compare. */
const SHORTEST_MS = 1_800_000

/** Who worked when, and on what: one lane for each session. */
export function Timeline({ projectUuid, since }: TimelineProps) {
  const text = useText()
  const format = useFormat()
  const { answer } = useOperation(
    "chorus_get_session_timeline",
    { projectUuid, since },
    reloadWhen((event) => event.entityType === "checkin" && event.projectUuid === projectUuid),
  )
  const lanes = answer?.lanes.filter(({ stays }) => stays.length > 0) ?? []
  const from = Math.min(
    ...lanes.flatMap(({ stays }) => stays.map((stay) => Date.parse(stay.from))),
    Date.parse(answer?.until ?? new Date().toISOString()),
  )
  const end = Date.parse(answer?.until ?? new Date().toISOString())
  const begin = Math.max(Date.parse(since), Math.min(from - 60_000, end - SHORTEST_MS))
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({
    share,
    at: new Date(begin + (end - begin) * share).toISOString(),
  }))
  const short = end - begin < 2 * 86_400_000
  return (
    <Chart
      title={text("insights.timeline")}
      lead={text("insights.timelineLead", { count: lanes.length })}
      table={{
        head: [text("tasks.sessions"), text("insights.task"), text("insights.from"), text("insights.hours")],
        rows: lanes.flatMap((lane) =>
          lane.stays.map((stay) => [
            `${lane.sessionName} · ${lane.agent.name}`,
            stay.taskTitle,
            format.dateTime(stay.from),
            format.duration(stay.hours * 3_600_000),
          ]),
        ),
      }}
    >
      {lanes.length === 0 ? (
        <Nothing>{text("insights.noStays")}</Nothing>
      ) : (
        <div className="max-h-96 overflow-y-auto" tabIndex={0} role="group" aria-label={text("insights.timeline")}>
          <ol className="grid grid-cols-1 gap-1.5">
            {lanes.map((lane) => (
              <li key={lane.sessionUuid} className="flex items-center gap-3 text-xs" data-hue={hueOf(lane.agent.uuid)}>
                <span className="w-28 shrink-0 truncate sm:w-44" title={`${lane.sessionName} · ${lane.agent.name}`}>
                  <span className="font-medium">{lane.sessionName}</span>{" "}
                  <span className="text-faint">{lane.agent.name}</span>
                </span>
                <span className="relative h-5 min-w-0 flex-1 rounded-sm bg-canvas">
                  {lane.stays.map((stay) => {
                    const place = placed(stay, begin, end)
                    if (place === undefined) return null
                    return (
                      <span
                        key={stay.from + stay.taskUuid}
                        title={`${stay.taskTitle} · ${format.duration(stay.hours * 3_600_000)}`}
                        className="@container absolute inset-y-0.5 min-w-1 overflow-hidden rounded-sm border border-(--hue) bg-(--hue-soft) leading-4 text-(--hue)"
                        style={{ left: `${place.left * 100}%`, width: `${place.width * 100}%` }}
                      >
                        {/* Of less than a word nobody would know it. */}
                        <span className="hidden truncate px-1 @min-[4rem]:block">{stay.taskTitle}</span>
                      </span>
                    )
                  })}
                </span>
                <span className="w-14 shrink-0 text-right text-faint tabular-nums">
                  {format.duration(lane.hours * 3_600_000)}
                </span>
              </li>
            ))}
          </ol>
          <div aria-hidden className="mt-1 flex gap-3 text-xs text-faint tabular-nums">
            <span className="w-28 shrink-0 sm:w-44" />
            <span className="flex min-w-0 flex-1 justify-between">
              {marks.map(({ share, at }) => (
                <span key={share} className={share === 0.25 || share === 0.75 ? "hidden sm:inline" : ""}>
                  {short ? format.time(at) : format.date(at)}
                </span>
              ))}
            </span>
            <span className="w-14 shrink-0" />
          </div>
        </div>
      )}
    </Chart>
  )
}
