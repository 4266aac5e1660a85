/** What one field of an input promises, told by values: those it takes, and those it refuses. */
export interface FieldRule {
  readonly says: string
  readonly takes: readonly unknown[]
  readonly refuses: readonly unknown[]
  readonly mayBeLeftOut?: boolean
  /** The first value it takes does not come through as it was given. */
  readonly changes?: boolean
}

export const TASK = "11111111-1111-4111-8111-111111111111"
export const OTHER = "22222222-2222-4222-8222-222222222222"
export const PROJECT = "33333333-3333-4333-8333-333333333333"

/** A text of exactly this many characters. */
export function chars(count: number): string {
  return "x".repeat(count)
}

export const uuid: FieldRule = {
  says: "is a uuid",
  takes: [TASK, "0190163D-8694-739B-AEA5-966C26F8AD91"],
  refuses: ["", "not-a-uuid", `${TASK}0`, ` ${TASK}`, 7, null],
}

export const flag: FieldRule = { says: "is yes or no", takes: [true, false], refuses: ["true", 1, 0, null] }

export const free: FieldRule = {
  says: "is an object of any fields",
  takes: [{}, { any: [1, { thing: null }] }],
  refuses: ["text", 7, [1], null],
}

export function line(most: number): FieldRule {
  return {
    says: `is one line of 1 to ${most} characters`,
    takes: ["x", "ü 漢字 😀", "tab\tinside", chars(most)],
    refuses: [
      "",
      "   ",
      "\n",
      chars(most + 1),
      "two\nlines",
      "two\rlines",
      "bell\u0007",
      "escape\u001b[0m",
      "\u007f",
      7,
      null,
    ],
  }
}

export function prose(most: number): FieldRule {
  return {
    says: `is text of at most ${most} characters, line breaks and tabs included`,
    takes: ["", "two\r\nlines\tand a tab", chars(most)],
    refuses: [chars(most + 1), "null\u0000", "vertical\u000btab", "escape\u001b", "\u007f", 7, null],
  }
}

export function filled(rule: FieldRule): FieldRule {
  return {
    ...rule,
    says: `${rule.says}, not blank`,
    takes: rule.takes.filter((value) => value !== ""),
    refuses: [...rule.refuses, "", " \n\t "],
  }
}

export function oneOf(...choices: readonly string[]): FieldRule {
  return {
    says: `is one of ${choices.join(", ")}`,
    takes: choices,
    refuses: ["", "no such choice", choices[0]?.toUpperCase(), [choices[0]], 7, null],
  }
}

export function whole(least: number, most: number): FieldRule {
  return {
    says: `is a whole number from ${least} to ${most}`,
    takes: [least, most],
    refuses: [least - 1, most + 1, least + 0.5, String(least), Number.NaN, null],
  }
}

/** As `whole`, for fields that also come in the query of an address, where everything is text. */
export function wholeOrText(least: number, most: number): FieldRule {
  return {
    says: `is a whole number from ${least} to ${most}, also as text`,
    takes: [least, most, String(least), String(most)],
    refuses: [least - 1, most + 1, least + 0.5, "many"],
  }
}

export function number(least: number, most: number): FieldRule {
  return {
    says: `is a number from ${least} to ${most}`,
    takes: [least, least + 0.5, most],
    refuses: [least - 0.001, most + 0.001, String(least), Number.NaN, Number.POSITIVE_INFINITY, null],
  }
}

export function list(of: FieldRule, least: number, most: number): FieldRule {
  const many = (count: number) => Array.from({ length: count }, () => of.takes[0])
  const among = (value: unknown) => [value, ...many(Math.max(0, least - 1))]
  return {
    says: `is a list of ${least} to ${most}, each of which ${of.says}`,
    takes: [many(least), ...of.takes.map(among), many(most)],
    refuses: [
      ...(least === 0 ? [] : [many(least - 1)]),
      many(most + 1),
      of.takes[0],
      { 0: of.takes[0] },
      null,
      ...of.refuses.map(among),
    ],
  }
}

/** An object or value told by one example; where its parts have rules of their own, those stand under their paths. */
export function like(example: unknown, says = "is such an object"): FieldRule {
  return { says, takes: [example], refuses: ["text", 7, null] }
}

/** Text of any kind, as programs give it. */
export function key(most: number): FieldRule {
  return {
    says: `is a text of at most ${most} characters`,
    takes: ["", "t1", chars(most)],
    refuses: [chars(most + 1), 7, ["t1"], null],
  }
}

export function optional(rule: FieldRule): FieldRule {
  return { ...rule, says: `${rule.says}, or is left out`, mayBeLeftOut: true }
}

/** Null stands for "none": it clears what was there, where leaving the field out keeps it. */
export function nullable(rule: FieldRule): FieldRule {
  return {
    ...rule,
    says: `${rule.says}, or null`,
    takes: [...rule.takes, null],
    refuses: rule.refuses.filter((value) => value !== null),
  }
}

/** Sizes out of range are brought into it, and what is no size counts as the usual one, so nothing is refused. */
export const page: FieldRule = {
  says: "takes anything",
  takes: [1, "3", -1, 10_000, "many", null, {}],
  refuses: [],
  mayBeLeftOut: true,
}
export const paging = { page, pageSize: page }

/** A place in the log. */
export const position: FieldRule = {
  says: "is a position in the log, also as text",
  takes: [1, "17"],
  refuses: ["last", 1.5, {}],
}
