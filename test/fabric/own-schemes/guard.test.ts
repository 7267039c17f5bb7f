/** Calls of a user's code: the place that a message names, and the process as it was after the call. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { guarded, type OwnModule, placed, placeOf, thrownAt } from "../../../src/fabric/own-schemes/guard.js";

const path = resolve("own.mjs");
const moduleOf = (text: string): OwnModule => ({
  url: pathToFileURL(path).href,
  file: new SourceFile(path, text),
});

describe("the place of a member", () => {
  const lineOf = (text: string, member: string) => {
    const { file, start } = placeOf(moduleOf(text), member);
    return file.text.slice(start).split("\n", 1)[0];
  };

  it("is the first of those that are equally nested", () => {
    const text = "export default {\n  hosts: first,\n  hosts: second,\n};\n";
    expect(lineOf(text, "hosts")).toBe("hosts: first,");
  });

  it("is the least nested one, wherever it stands", () => {
    const text = "const plan = { a: { hosts: 1 } };\nexport default {\n  plan() {},\n  hosts: 2,\n};\n";
    expect(lineOf(text, "hosts")).toBe("hosts: 2,");
  });

  it.each([
    ["a comment of several lines", "/* { hosts: 1\n * } */"],
    ["a string with an escaped quote", String.raw`const a = "\" { hosts: 1 }";`],
    ["a string in single quotes with an escape", String.raw`const a = '\' { hosts: 1 }';`],
    ["a template over two lines", "const a = `\n{ hosts: 1 }\\` { hosts: 1 }`;"],
  ])("is not in %s", (_, before) => {
    expect(lineOf(`${before}\nexport default { a: { b: [{ hosts: 2 }] }, hosts: 3 };\n`, "hosts")).toBe(
      "hosts: 3 };",
    );
  });

  it("is code, and the start of the file where there is none", () => {
    const text = "// { hosts: 1 }\nconst a = '{ hosts: 2 }';\nexport default { hosts: 3 };\n";
    expect(lineOf(text, "hosts")).toBe("hosts: 3 };");
    expect(placeOf(moduleOf(text), "controllers")).toMatchObject({ start: 0, end: 1 });
  });
});

describe("the place of what was thrown", () => {
  const text = "one();\n  two();\n";
  const placeIn = (stack: string) => {
    const span = thrownAt(moduleOf(text), { stack });
    return span && text.slice(span.start, span.end);
  };

  it("is the first one of the stack in the module, with or without a query, a column and file://", () => {
    expect(placeIn(`Error\n    at f (${path}:2:3)\n    at g (${path}:1:1)`)).toBe("two");
    expect(placeIn(`Error\n    at f (${pathToFileURL(path).href}?v=1:2:3)`)).toBe("two");
    expect(placeIn(`${path}:1\none(\n    ^`)).toBe("one");
  });

  it("is none in another file whose name goes on", () => {
    expect(placeIn(`Error\n    at f (${path}x:2:3)`)).toBeUndefined();
    expect(placeIn(`Error\n    at f (${path}x:2:3)\n    at g (${path}:1:1)`)).toBe("one");
  });

  it("is at least one character", () => {
    expect(placeIn(`${path}:1:4`)).toBe("(");
  });
});

describe.each([
  ["guarded", guarded],
  ["placed", placed],
] as const)("%s", (_, call) => {
  const own = moduleOf("export default { plan() {} };\n");

  it("restores process.exit after a call that returns, throws, or ends the process", () => {
    const before = process.exit;
    expect(call(own, "plan", () => 7)).toBe(7);
    expect(process.exit).toBe(before);
    expect(() => call(own, "plan", () => fails())).toThrow("plan throws: Error: no");
    expect(process.exit).toBe(before);
    expect(() => call(own, "plan", () => process.exit(3))).toThrow("plan ends the process: process.exit(3)");
    expect(process.exit).toBe(before);
  });
});

function fails(): never {
  throw new Error("no");
}
