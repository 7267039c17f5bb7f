/**
 * Templates of P4 programs: Handlebars without HTML escaping; a missing value is an error. P4 and
 * Handlebars both use braces, so each text is checked for the two ways in which they conflict.
 */
import Handlebars from "handlebars";
import { defined, fail, SourceFile } from "../../base/index.js";
import { CODES } from "./codes.js";

/** A folder of templates; paths are relative to it, with `/` between names. */
export interface TemplateFolder {
  /** Names of the entries of a folder; empty where there is no such folder. */
  list(path: string): readonly string[];
  read(path: string): string;
}

const SUFFIX = ".p4.hbs";
const PARTIALS = "partials";

/** Checked templates, ready to render. */
export interface TemplateSet {
  readonly names: readonly string[];
  /** The template's text for these values; throws if the name is unknown or a value is missing. */
  render(name: string, values: object): string;
  /** The text of a template that is not in the set, for these values; it may use the common partials. */
  renderFile(file: SourceFile, values: object): string;
}

/**
 * Loads all templates: `NAME/TEMPLATE.p4.hbs` in the folder of a scheme, which may use the partials in `partials/` and
 * those in its own `NAME/partials/`. Throws DiagnosticError: P42001 for braces that P4 and Handlebars read differently,
 * P42006 for a partial of a scheme with the name of a common one.
 */
export function loadTemplates(folder: TemplateFolder): TemplateSet {
  const texts = (path: string) => {
    const found = new Map<string, string>();
    for (const entry of [...folder.list(path)].sort()) {
      if (!entry.endsWith(SUFFIX)) continue;
      const file = `${path}/${entry}`;
      const text = folder.read(file);
      checkBraces(new SourceFile(file, text));
      found.set(entry.slice(0, -SUFFIX.length), text);
    }
    return found;
  };
  const common = texts(PARTIALS);
  const compiled = new Map<string, Template>();
  for (const name of [...folder.list("")].sort()) {
    if (name === PARTIALS) continue;
    const own = texts(`${name}/${PARTIALS}`);
    for (const partial of own.keys())
      if (common.has(partial))
        fail(
          CODES.partialName,
          undefined,
          `${name}/${PARTIALS}/${partial}${SUFFIX}: a common partial has that name`,
        );
    const made = compileTemplates(texts(name), new Map([...common, ...own]));
    for (const [template, render] of made) compiled.set(`${name}/${template}`, render);
  }
  return setOf(compiled, common);
}

/** Templates that may all use the same partials, from texts by name. */
export function makeTemplateSet(
  templates: ReadonlyMap<string, string>,
  partials: ReadonlyMap<string, string>,
): TemplateSet {
  for (const [name, text] of partials) checkBraces(new SourceFile(`${PARTIALS}/${name}${SUFFIX}`, text));
  for (const [name, text] of templates) checkBraces(new SourceFile(`${name}${SUFFIX}`, text));
  return setOf(compileTemplates(templates, partials), partials);
}

type Template = (values: object) => string;

function compileTemplates(
  templates: ReadonlyMap<string, string>,
  partials: ReadonlyMap<string, string>,
): Map<string, Template> {
  const engine = Handlebars.create();
  for (const [name, text] of partials) engine.registerPartial(name, text);
  const options = { noEscape: true, strict: true, explicitPartialContext: false };
  return new Map([...templates].map(([name, text]) => [name, engine.compile(text, options)]));
}

function setOf(compiled: ReadonlyMap<string, Template>, common: ReadonlyMap<string, string>): TemplateSet {
  return {
    names: [...compiled.keys()],
    renderFile(file, values) {
      checkBraces(file);
      const template = defined(compileTemplates(new Map([[file.path, file.text]]), common).get(file.path));
      return rendered(file.path, template, values);
    },
    render(name, values) {
      const template = compiled.get(name);
      if (template === undefined) {
        fail(
          CODES.unknownTemplate,
          undefined,
          `no template "${name}"`,
          `templates are: ${[...compiled.keys()].join(", ")}`,
        );
      }
      return rendered(name, template, values);
    },
  };
}

function rendered(name: string, template: Template, values: object): string {
  try {
    return tidy(template(values));
  } catch (error) {
    fail(CODES.rendering, undefined, `template "${name}" does not render: ${(error as Error).message}`);
  }
}

/** Removes trailing spaces, and the sequences of empty lines that empty blocks produce. */
function tidy(text: string): string {
  return text
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/\n*$/, "\n");
}

/**
 * Fails with P42001 where P4 and Handlebars read a text differently: a literal `{{` (as in nested lists;
 * write `{ {`), and a tag directly before a closing brace of P4 (write a space or a line end between them).
 */
export function checkBraces(file: SourceFile): void {
  const { text } = file;
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at)) {
    if (text[at - 1] === "\\") {
      at += 2;
      continue;
    }
    const comment = text.startsWith("{{!--", at);
    if (!/[A-Za-z_@#/>!~^.&(]/.test(text[at + 2] ?? " ")) {
      fail(
        CODES.braces,
        { file, start: at, end: at + 2 },
        'literal "{{" in a template: Handlebars takes it for a tag',
        'write "{ {" for two braces of P4',
      );
    }
    const close = text.indexOf(comment ? "--}}" : "}}", at);
    if (close < 0) fail(CODES.braces, { file, start: at, end: at + 2 }, 'tag without "}}"');
    const end = close + (comment ? 4 : 2);
    if (text[end] === "}") {
      fail(
        CODES.braces,
        { file, start: at, end: end + 1 },
        'a closing brace follows a tag directly: Handlebars reads "}}}"',
        'put a space or a line end between "}}" and "}"',
      );
    }
    at = end;
  }
}
