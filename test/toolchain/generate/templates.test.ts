import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { loadTemplates } from "../../../src/toolchain/generate/index.js";
import { checkBraces, makeTemplateSet } from "../../../src/toolchain/generate/templates.js";
import { messagesOf } from "../../fabric/topology/load.js";
import { templates } from "./load.js";

const bad = resolve(import.meta.dirname, "../../bad/generate");
const check = (text: string) => checkBraces(new SourceFile("t.p4.hbs", text));

describe("the lint for braces", () => {
  it.each(readdirSync(bad))("refuses %s", (file) => {
    const source = new SourceFile(file, readFileSync(join(bad, file), "utf8"));
    expect(messagesOf(() => checkBraces(source))).toMatchSnapshot();
  });

  it.each([
    "table { size = {{sizes.routes}}; }",
    "{{#each a}} { {{this}} } {{/each}}\n}",
    "{{> partial}}{{!-- a comment with }} in it --}}{{/if}} }",
    "a \\{{ literal",
    "list = { {1, 2}, {3, 4} };",
  ])("lets %j pass", (text) => expect(() => check(text)).not.toThrow());

  it.each([
    ["{{{x}}}", 'literal "{{"'],
    ["{{ x }}", 'literal "{{"'],
    ["{{1, 2}, {3, 4}}", 'literal "{{"'],
    ["{{#if a}}{{/if}}}", "a closing brace"],
    ["{{x", 'tag without "}}"'],
  ])("stops at %j", (text, problem) => expect(messagesOf(() => check(text))).toContain(problem));
});

describe("a folder of templates", () => {
  const folder = (files: Record<string, string>) => ({
    list: (path: string) => {
      const below = Object.keys(files).filter((file) => path === "" || file.startsWith(`${path}/`));
      return [...new Set(below.map((file) => file.slice(path === "" ? 0 : path.length + 1).split("/")[0]!))];
    },
    read: (path: string) => files[path]!,
  });
  const files = {
    "partials/common.p4.hbs": "c",
    "a/partials/own.p4.hbs": "own of a",
    "a/x.p4.hbs": "{{> common}} {{> own}}",
    "b/y.p4.hbs": "{{> own}}",
    "b/notes.md": "{{",
  };

  it("is listed, and each scheme has the common partials and its own", () => {
    const set = loadTemplates(folder(files));
    expect(set.names).toEqual(["a/x", "b/y"]);
    expect(set.render("a/x", {})).toBe("c own of a\n");
    expect(messagesOf(() => set.render("b/y", {}))).toContain("error[P42002]");
  });

  it("may not replace a common partial", () => {
    const set = () => loadTemplates(folder({ ...files, "a/partials/common.p4.hbs": "mine" }));
    expect(messagesOf(set)).toBe("error[P42006]: a/partials/common.p4.hbs: a common partial has that name");
  });
});

describe("rendering", () => {
  const set = makeTemplateSet(
    new Map([["main", "a < b && {{x}};\n{{#if y}}\nyes\n{{/if}}\n\n\n\nend   \n{{> part}}\n\n"]]),
    new Map([["part", "{{z.deep}} & more\n"]]),
  );

  it("escapes nothing, drops trailing space and runs of empty lines", () => {
    expect(set.render("main", { x: "c & d", y: false, z: { deep: "<1>" } })).toBe(
      "a < b && c & d;\n\nend\n<1> & more\n",
    );
  });

  it("fails for a value that is missing, also inside a partial", () => {
    expect(messagesOf(() => set.render("main", { y: true, z: { deep: 1 } }))).toContain("error[P42002]");
    expect(messagesOf(() => set.render("main", { x: 1, y: true, z: {} }))).toContain('"deep" not defined');
  });

  it("names the templates there are", () => {
    expect(messagesOf(() => templates.render("pecmp/core", {}))).toBe(
      `error[P42003]: no template "pecmp/core"\nnote: templates are: ${templates.names.join(", ")}`,
    );
  });
});
