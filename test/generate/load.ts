/** The project's own templates, read from the folder that is published. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadTemplates } from "../../src/generate/index.js";

const folder = resolve(import.meta.dirname, "../../templates");

export const templates = loadTemplates((path) => readFileSync(join(folder, path), "utf8"));
