import { readFileSync } from "node:fs";

/** The version in package.json, two folders above both `src/cli` and `dist/cli`. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;
