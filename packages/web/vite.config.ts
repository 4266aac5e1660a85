import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  // The server puts a fresh nonce here with every answer.
  html: { cspNonce: "CHORUS_NONCE" },
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8637" } },
})
