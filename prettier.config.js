/** @type {import("prettier").Config} */
export default {
  overrides: [
    {
      // As HTML, a space between two elements may become a line break, which htm drops.
      files: "mockpets/web/panel/*.js",
      options: { embeddedLanguageFormatting: "off" },
    },
  ],
};
