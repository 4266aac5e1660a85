export { type CallOperation, type CallOptions, type Client, type ClientOptions, createClient } from "./client.ts"
export type { EventOptions, StreamItem } from "./event-stream.ts"
export type { Fetch, Positioned } from "./request.ts"
export { isPassing } from "./retry.ts"
