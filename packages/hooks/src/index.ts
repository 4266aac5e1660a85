export { type ClaudePlugin, MARKETPLACE, pluginFor } from "./claude-plugin.ts"
