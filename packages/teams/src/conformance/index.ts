export { chorusSubject } from "./own-subject.ts"
export { type ConformanceSubject, type Terms, type TraceStep } from "./subject.ts"
export { type ConformanceCase, conformanceCases } from "./suite.ts"
