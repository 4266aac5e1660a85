export { ChorusError, type ErrorBody } from "./error.ts"
