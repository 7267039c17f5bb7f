/**
 * Templates of P4 programs: Handlebars without HTML escaping; a missing value is an error. P4 and
 * Handlebars both use braces, so each text is checked for the two ways in which they conflict.
 */
import Handlebars from "handlebars";
import { fail, SourceFile } from "../base/index.js";

/** Main templates, by the name that a program plan uses. */
const TEMPLATES = ["pecmp/tor", "pecmp/leaf", "pecmp/spine", "ecmp/switch"] as const;

const PARTIALS = [
  "admit",
  "checksums",
  "discard",
  "drops",
  "flow_metadata",
  "hash_keys",
  "headers",
  "ipv4_fields",
  "next_hop",
  "output",
  "parser",
  "pecmp_apply",
  "pecmp_matrix",
  "pecmp_metadata",
  "routes",
  "to_downlinks",
  "to_uplinks",
] as const;

/** Checked templates, ready to render. */
export interface TemplateSet {
  readonly names: readonly string[];
  /** The template's text for these values; throws if the name is unknown or a value is missing. */
  render(name: string, values: object): string;
}

/**
 * Loads all templates. `readText` gets paths relative to the folder of templates, for example
 * `pecmp/tor.p4.hbs`. Throws DiagnosticError: P42001 for braces that P4 and Handlebars read differently.
 */
export function loadTemplates(readText: (path: string) => string): TemplateSet {
  const texts = new Map<string, string>();
  for (const name of TEMPLATES) texts.set(name, readText(`${name}.p4.hbs`));
  const partials = new Map<string, string>();
  for (const name of PARTIALS) partials.set(name, readText(`partials/${name}.p4.hbs`));
  return makeTemplateSet(texts, partials);
}

/** As {@link loadTemplates}, from texts by name. */
export function makeTemplateSet(
  templates: ReadonlyMap<string, string>,
  partials: ReadonlyMap<string, string>,
): TemplateSet {
  const engine = Handlebars.create();
  for (const [name, text] of partials) {
    checkBraces(new SourceFile(`partials/${name}.p4.hbs`, text));
    engine.registerPartial(name, text);
  }
  const compiled = new Map<string, (values: object) => string>();
  for (const [name, text] of templates) {
    checkBraces(new SourceFile(`${name}.p4.hbs`, text));
    compiled.set(name, engine.compile(text, { noEscape: true, strict: true, explicitPartialContext: false }));
  }
  return {
    names: [...compiled.keys()],
    render(name, values) {
      const template = compiled.get(name);
      if (template === undefined) {
        fail(
          "P42003",
          undefined,
          `no template "${name}"`,
          `templates are: ${[...compiled.keys()].join(", ")}`,
        );
      }
      try {
        return tidy(template(values));
      } catch (error) {
        fail("P42002", undefined, `template "${name}" does not render: ${(error as Error).message}`);
      }
    },
  };
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
        "P42001",
        { file, start: at, end: at + 2 },
        'literal "{{" in a template: Handlebars takes it for a tag',
        'write "{ {" for two braces of P4',
      );
    }
    const close = text.indexOf(comment ? "--}}" : "}}", at);
    if (close < 0) fail("P42001", { file, start: at, end: at + 2 }, 'tag without "}}"');
    const end = close + (comment ? 4 : 2);
    if (text[end] === "}") {
      fail(
        "P42001",
        { file, start: at, end: end + 1 },
        'a closing brace follows a tag directly: Handlebars reads "}}}"',
        'put a space or a line end between "}}" and "}"',
      );
    }
    at = end;
  }
}
