/** A program as one text: what it includes in its place, and where each line came from after changes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { edited, type OwnText, ownText, placeOf } from "../../../src/toolchain/advice/own-text.js";

const files: Readonly<Record<string, string>> = {
  "dir/a.p4": 'a1\n#include "b.p4" // more\na3\n',
  "dir/b.p4": "b1\nb2",
  "dir/loop.p4": 'l1\n#include "loop.p4"\nl3',
};
const resolve = (name: string) => {
  const text = files[`dir/${name}`];
  return text === undefined ? undefined : new SourceFile(`dir/${name}`, text);
};
const whole = (text: string) => ownText(new SourceFile("main.p4", text), resolve);

it("puts included files in place, but no system file, no file that is not found and no file into itself", () => {
  const text = whole('#include <core.p4>\n#include "dir.p4"\n  # include "a.p4"\nm4\n#include "loop.p4"');
  expect(text.text).toBe(
    '#include <core.p4>\n#include "dir.p4"\na1\nb1\nb2\na3\n\nm4\nl1\n#include "loop.p4"\nl3',
  );
});

it("leaves an #include that stands in a block comment", () => {
  const given = [
    "/* m1",
    '#include "a.p4"',
    "m3 */",
    'const x = "/*"; // /*',
    '#include "dir/none.p4"',
    'm6 /* " */ /* " */ m6',
    '#include "a.p4"',
  ].join("\n");
  expect(whole(given).text).toBe(given.replace(/#include "a.p4"$/, "a1\nb1\nb2\na3\n"));
});

it("says where a place stood in the program as given, also after changes", () => {
  const text = whole('m1\n#include "a.p4"\nm3');
  const place = (file: SourceFile, what: string) =>
    placeOf({ file, start: file.text.indexOf(what), end: file.text.indexOf(what) + 1 });
  expect(place(text, "m3")).toBe("line 3");
  expect(place(text, "b2")).toBe("b.p4:2");
  const at = text.text.indexOf("b1");
  const changed = edited(text, [{ span: { file: text, start: at, end: at + 2 }, replacement: "x\ny\nz" }]);
  expect(changed.text).toBe("m1\na1\nx\ny\nz\nb2\na3\n\nm3");
  expect(place(changed, "z")).toBe("b.p4:1");
  expect(place(changed, "b2")).toBe("b.p4:2");
  expect(place(changed, "m3")).toBe("line 3");
});

it("makes all changes that do not touch each other, and has an origin for each line", () => {
  const edits = fc.array(fc.tuple(fc.nat(40), fc.nat(5), fc.constantFrom("", "x", "\n", "p\nq")), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "bc", "\n", " "), { maxLength: 20 }), edits, (parts, list) => {
      const text = whole(`${parts.join("")}.`);
      const all = list.map(([start, length, replacement]) => {
        const from = Math.min(start, text.text.length);
        return {
          span: { file: text, start: from, end: Math.min(from + length, text.text.length) },
          replacement,
        };
      });
      const inOrder = [...all].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
      let expected = "";
      let at = 0;
      for (const { span, replacement } of inOrder) {
        if (span.start < at) continue;
        expected += text.text.slice(at, span.start) + replacement;
        at = span.end;
      }
      expected += text.text.slice(at);
      const changed = edited(text, all) as OwnText;
      expect(changed.text).toBe(expected);
      expect(changed.origins).toHaveLength(expected.split("\n").length);
    }),
  );
});
