import { z } from "zod"

// Control characters other than tab and line breaks have no place in what people and agents write.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** One line of text: trimmed, not blank, no control characters. */
export function line(max = 256) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !CONTROL.test(text) && !/[\r\n]/.test(text), "must be one line without control characters")
}

/** Markdown or prose; line breaks allowed, control characters not. */
export function prose(max = 200_000) {
  return z
    .string()
    .max(max)
    .refine((text) => !CONTROL.test(text), "must not hold control characters")
}
