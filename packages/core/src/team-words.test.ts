import { expect, it } from "vitest"
import { teamFields, teamWords, wordsIn } from "./team-words.ts"

it.each([
  ["what a member answered", '{"type":"idle_notification","result":"Done.","idleReason":"available"}', "Done."],
  ["why one has failed", '{"idleReason":"failed","failureReason":"Its process has ended."}', "Its process has ended."],
  ["nothing where no field tells anything", '{"count":3}', ""],
  ["the words where they are no message of a program", "plain {words}", "plain {words}"],
])("tells %s", (_, text, words) => expect(teamWords(text)).toBe(words))

it("reads a field as text, or as none", () => {
  const fields = teamFields('{"by":"Ada","approved":true}')
  expect([wordsIn(fields, "by"), wordsIn(fields, "approved"), wordsIn(undefined, "by")]).toEqual(["Ada", "", ""])
})
