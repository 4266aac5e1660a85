import type { Migration } from "./migration.ts"

/** Scripts that put no space between words: each sign of theirs is a word to the index. */
const SIGNS = "[\\u2e80-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff]"

/** A text with its signs apart; most have none, and are not searched for them. */
export function apart(text: string): string {
  const parted = `regexp_replace(${text}, '(${SIGNS})', ' \\1 ', 'g')`
  return `case when octet_length(${text}) = length(${text}) then ${text} else ${parted} end`
}

const WORDS = `to_tsvector('simple', ${apart(`"title"`)} || ' ' || ${apart(`left("body", 200000)`)})`

/** The query for words that begin as those of a text do. */
export function wordsLike(text: string): string {
  return `regexp_replace(plainto_tsquery('simple', ${apart(text)})::text, '''( |$)', ''':*\\1', 'g')::tsquery`
}

/** Words of scripts without spaces are found by the index too, and a project's newest without sorting all of it. */
export const signsMigration: Migration = {
  id: 30,
  name: "signs",
  statements: (engine) =>
    engine === "sqlite"
      ? []
      : [
          `drop index search_entries_words`,
          `create index search_entries_signs on "searchEntries" using gin ((${WORDS}))`,
          `drop index search_entries_project`,
          `create index search_entries_newest on "searchEntries" ("projectUuid", "id")`,
        ],
}
