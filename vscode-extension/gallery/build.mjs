// `npm run gallery`: the page of the panel, without VS Code and without a daemon, in every scene and theme.
//
//     npm run gallery                 writes gallery/out/index.html to open in a browser
//     npm run gallery -- --shots      takes a screenshot of each (needs a Chromium: CHROMIUM or /usr/bin/chromium)
//     npm run gallery -- --shots rewind,approval
//
// A run with --shots fails where a page is wider than the panel, where the browser reports an error, or
// where axe finds that a role, a name or the contrast of a text is wrong.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const here = import.meta.dirname;
const out = join(here, "out");
const themes = JSON.parse(readFileSync(join(here, "themes.json"), "utf8"));
const widths = { dark: 380, light: 380, hc: 380, "hc-light": 380, narrow: 300 };
const HEIGHT = 720;

async function scenes() {
  const file = join(out, "scenes.mjs");
  await build({ entryPoints: [join(here, "scenes.ts")], bundle: true, format: "esm", platform: "neutral", outfile: file });
  return (await import(file)).SCENES;
}

/** JSON inside a script element: nothing in it may end the element. */
const embedded = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

function html(scene, theme) {
  const { kind, variables } = themes[theme === "narrow" ? "dark" : theme];
  const style = Object.entries(variables).map(([name, value]) => `${name}: ${value};`).join(" ");
  const messages = [{ type: "model", seq: 0, model: scene.model }];
  const remembered = { draft: "", breakdownOpen: scene.breakdownOpen === true };
  return `<!DOCTYPE html>
<html lang="en" style="${style.replaceAll('"', "&quot;")}">
<head><meta charset="utf-8"><title>${scene.name}, ${theme}</title>
<link rel="stylesheet" href="webview.css">
<style>body { background: var(--vscode-sideBar-background); }</style></head>
<body class="${kind}"><div id="root"></div>
<script>
  const messages = ${embedded(messages)};
  globalThis.posted = [];
  globalThis.acquireVsCodeApi = () => ({
    postMessage(message) {
      globalThis.posted.push(message);
      if (message.type === "ready") for (const each of messages) window.postMessage(each);
    },
    getState: () => (${embedded(remembered)}),
    setState() {},
  });
</script>
<script src="webview.js"></script></body></html>`;
}

function index(all) {
  const cell = (scene, theme) => `<td><iframe title="${scene.name} ${theme}" src="${scene.name}-${theme}.html" width="${widths[theme]}" height="${HEIGHT}"></iframe></td>`;
  const rows = all.map((scene) => `<tr><th>${scene.name}</th>${Object.keys(widths).map((theme) => cell(scene, theme)).join("")}</tr>`);
  return `<!DOCTYPE html><meta charset="utf-8"><title>Gallery</title><table>${rows.join("\n")}</table>`;
}

async function shoot(all) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  const problems = [];
  try {
    for (const theme of Object.keys(widths)) {
      const page = await browser.newPage({ viewport: { width: widths[theme], height: HEIGHT }, reducedMotion: "reduce" });
      for (const scene of all) problems.push(...(await shot(page, scene, theme)));
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return problems;
}

async function shot(page, scene, theme) {
  const problems = [];
  const name = `${scene.name}-${theme}`;
  const report = (message) => problems.push(`${name}: ${message}`);
  const onConsole = (message) => message.type() === "error" && report(message.text());
  page.on("pageerror", report).on("console", onConsole);
  await page.goto(`file://${join(out, `${name}.html`)}`);
  await page.locator(".app").waitFor();
  await page.evaluate(() => document.fonts.ready);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth);
  if (wide) report("is wider than the panel");
  for (const violation of await violations(page)) report(violation);
  await page.screenshot({ path: join(out, `${name}.png`), animations: "disabled" });
  page.off("pageerror", report).off("console", onConsole);
  return problems;
}

/** What axe finds: roles, names, contrast. */
async function violations(page) {
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(() => globalThis.axe.run({ preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
  return (found.violations).flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")} (${node.any[0]?.message ?? violation.help})`),
  );
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await import("../esbuild.mjs");
for (const file of ["webview.js", "webview.css", "codicon.ttf"]) cpSync(join(here, "..", "dist", file), join(out, file));
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--")).flatMap((word) => word.split(","));
const all = (await scenes()).filter((scene) => wanted.length === 0 || wanted.includes(scene.name));
for (const scene of all) for (const theme of Object.keys(widths)) writeFileSync(join(out, `${scene.name}-${theme}.html`), html(scene, theme));
writeFileSync(join(out, "index.html"), index(all));
const problems = process.argv.includes("--shots") ? await shoot(all) : [];
for (const problem of problems) console.error(problem);
console.log(`${all.length} scenes in ${out}`);
process.exitCode = problems.length === 0 ? 0 : 1;
