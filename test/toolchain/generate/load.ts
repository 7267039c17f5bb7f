/** The project's own templates, read from the folder that is published. */
import { resolve } from "node:path";
import { loadTemplates } from "../../../src/toolchain/generate/index.js";
import { textFolder } from "../../../src/toolchain/loading/index.js";

const folder = resolve(import.meta.dirname, "../../../templates");

export const templates = loadTemplates(textFolder(folder));
