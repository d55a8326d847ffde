// Print what TypeScript's language service offers at the bar in line0.ts, line1.ts, ... of a project, as JSON.

import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { createRequire } from "node:module";

const folder = resolve(process.argv[2]);
const ts = createRequire(`${folder}/`)("typescript");
const { options } = ts.parseJsonConfigFileContent(JSON.parse(readFileSync(`${folder}/tsconfig.json`, "utf8")), ts.sys, folder);
const lines = readdirSync(folder).filter((name) => /^line\d+\.ts$/.test(name)).sort((a, b) => parseInt(a.slice(4)) - parseInt(b.slice(4)));
const texts = new Map(lines.map((name) => [`${folder}/${name}`, readFileSync(`${folder}/${name}`, "utf8")]));
const service = ts.createLanguageService({
  getScriptFileNames: () => [...texts.keys(), `${folder}/mockpets.d.ts`],
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => (ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(texts.get(name)?.replace("|", "") ?? readFileSync(name, "utf8")) : undefined),
  getCurrentDirectory: () => folder,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});
const offered = [...texts].map(([name, text]) => service.getCompletionsAtPosition(name, text.indexOf("|"), {})?.entries.map((entry) => entry.name) ?? []);
console.log(JSON.stringify(offered));
