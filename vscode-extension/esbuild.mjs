// Bundles the extension host side and the webview side into dist/.
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
};
const host = {
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
};
const webview = {
  ...shared,
  entryPoints: { webview: "src/webview/main.tsx" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
};

if (process.argv.includes("--watch")) {
  for (const options of [host, webview]) await (await context(options)).watch();
} else {
  await Promise.all([build(host), build(webview)]);
}
