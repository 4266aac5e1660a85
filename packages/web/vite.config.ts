import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** Styles come after the outline of the page, which is drawn without waiting for them. */
const stylesLast: Plugin = {
  name: "styles-last",
  transformIndexHtml: {
    order: "post",
    handler(html) {
      const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
      const rest = styles.reduce((page, style) => page.replace(style, ""), html)
      return rest.replace("  </body>", `${styles.join("")}  </body>`)
    },
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), stylesLast],
  // The server puts a fresh nonce here with every answer.
  html: { cspNonce: "CHORUS_NONCE" },
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every page needs, as one file, and the icons that several share as another: small files pack badly.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "frame", tags: ["$initial"] },
            { name: "icons", test: /lucide-react/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8637" } },
})
