import { defineConfig } from "vite";

// While the page is being worked on: `npx vite`, beside a running `tiltmeter explore --port 8123 --no-browser`; TILTMETER is another address.
const target = process.env["TILTMETER"] ?? "http://127.0.0.1:8123";
const proxy = { "/api": { target, changeOrigin: true } };

export default defineConfig({
  base: "./",
  server: { proxy },
  preview: { proxy },
  build: {
    outDir: "../src/tiltmeter/explorer/static",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows no script or style inside the document, nor an image inside a style sheet.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
