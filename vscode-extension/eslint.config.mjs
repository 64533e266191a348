// The borders between the parts are enforced here: `model` and `present` are pure, the webview never
// sees the extension host, and nobody reads a module of the part above.
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

const forbid = (message, ...group) => ({
  "no-restricted-imports": ["error", { patterns: [{ group, message }] }],
});
const pure = "Pure code: values in, values out.";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "gallery/out", "src/protocol.gen.ts"] },
  {
    files: ["**/*.{ts,tsx,mts}"],
    extends: [
      eslint.configs.recommended,
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.json", "src/webview/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 40, skipComments: true }],
      complexity: ["error", 14],
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      // Numbers are what most of our texts are made of.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["src/model/**"],
    rules: forbid(pure, "vscode", "vscode-*", "node:*", "**/present/*", "**/sidecar/*", "**/views/*", "**/webview/*"),
  },
  {
    files: ["src/present/**"],
    rules: forbid(pure, "vscode", "vscode-*", "node:*", "**/sidecar/*", "**/views/*", "**/webview/*"),
  },
  {
    files: ["src/sidecar/**"],
    rules: forbid("The process knows no view.", "**/views/*", "**/webview/*"),
  },
  {
    files: ["src/webview/**"],
    rules: forbid("The browser side sees values only.", "vscode", "vscode-languageclient*", "node:*", "**/sidecar/*", "**/views/*"),
  },
  {
    // A test file is a list of cases: its describe blocks may be long, its cases may not.
    files: ["tests/**"],
    rules: { "max-lines-per-function": "off" },
  },
  {
    files: ["**/*.mjs"],
    extends: [eslint.configs.recommended, tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: "readonly", console: "readonly", document: "readonly", innerWidth: "readonly" } },
  },
);
