// Builds one app of this folder: `vite build handles --config vite.config.mjs --outDir …`.

/** @type {import("vite").UserConfig} */
export default {
  logLevel: "error",
  build: { emptyOutDir: true, modulePreload: false },
  oxc: { jsx: { runtime: "automatic" } },
};
