import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const server = process.env.HAKONIWA_SERVER ?? "http://127.0.0.1:8765";
const proxy = { "/v1": server, "/health": server };

export default defineConfig({
  base: "./", // the page works under any path
  plugins: [svelte()],
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox128", "safari17.5"], // light-dark() and oklch() stay as they are written
    assetsInlineLimit: 0, // nothing inline: the page's policy allows only files of its own
    modulePreload: { polyfill: false },
  },
  server: { proxy },
  preview: { proxy },
});
