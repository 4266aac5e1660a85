import { expect, it } from "vitest"
import { teamFields, teamWords, wordsIn } from "./team-words.ts"

it.each([
  ["what a member answered", '{"type":"idle_notification","result":"Done.","idleReason":"available"}', "Done."],
  ["why one has failed", '{"idleReason":"failed","failureReason":"Its process has ended."}', "Its process has ended."],
  [
    "what a member wants to do",
    '{"type":"permission_request","tool_name":"Bash","description":"run it","input":{"command":"make\\nmake clean"}}',
    "Bash: make\nmake clean",
  ],
  [
    "which files it wants to change",
    '{"type":"permission_request","tool_name":"apply_patch","description":"","input":{"files":["a.txt","b.txt"],"patch":"…"}}',
    "apply_patch: a.txt, b.txt",
  ],
  ["nothing where no field tells anything", '{"count":3}', ""],
  ["the words where they are no message of a program", "plain {words}", "plain {words}"],
])("tells %s", (_, text, words) => expect(teamWords(text)).toBe(words))

it("reads a field as text, or as none", () => {
  const fields = teamFields('{"by":"Ada","approved":true}')
  expect([wordsIn(fields, "by"), wordsIn(fields, "approved"), wordsIn(undefined, "by")]).toEqual(["Ada", "", ""])
})
