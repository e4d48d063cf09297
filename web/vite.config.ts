import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const target = process.env.HAKONIWA_SERVER ?? "http://127.0.0.1:8765";
const asked = ["/v1", "/health", "^/\\?token="]; // the last one is answered with a cookie
const proxy = Object.fromEntries(asked.map((path) => [path, { target, changeOrigin: false }])); // for this very host

export default defineConfig({
  base: "./", // the page works under any path
  plugins: [svelte()],
  build: {
    outDir: "../src/hakoniwa/service/console", // where the package looks for it
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox128", "safari17.5"], // light-dark() and oklch() stay as they are written
    assetsInlineLimit: 0, // nothing inline: the page's policy allows only files of its own
    modulePreload: { polyfill: false },
  },
  server: { proxy },
  preview: { proxy },
});
