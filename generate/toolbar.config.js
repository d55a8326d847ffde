// How rolldown bundles the toolbar: `generate/bundle.py` runs it in the root of the repository.

export default {
  input: "kit/toolbar/main.js",
  transform: { target: "es2022" },
  output: {
    format: "esm",
    // Functions keep their names, for the stacks in bug reports.
    minify: { compress: true, codegen: true, mangle: { toplevel: false } },
  },
};
