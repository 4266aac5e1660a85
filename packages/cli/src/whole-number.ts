import { InvalidArgumentError } from "commander"

/** Reads an option that is a whole number; anything else, an empty text too, is refused with what it should have been. */
export function wholeNumber(
  says: string,
  from: number,
  to: number = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= from && number <= to) return number
    throw new InvalidArgumentError(says)
  }
}
