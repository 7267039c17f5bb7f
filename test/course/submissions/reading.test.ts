/** Reading of submissions without a grading: archives that are damaged or unusual, files with other names, and messages of controllers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { decode, encode, lineReader } from "../../../src/course/submissions/controller/messages.js";
import { findSubmissions } from "../../../src/course/submissions/find.js";
import { ZipArchive } from "../../../src/course/submissions/zip.js";
import { zipOf } from "./zip-writer.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-reading-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const P4 = "a.p4";

/** Submissions in a folder with these files, and the warnings. */
function found(files: Readonly<Record<string, string | Uint8Array>>, handsIn: readonly string[] = [P4]) {
  const root = join(folder, `f${made++}`);
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    if (path.includes("/")) mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return read(root, handsIn);
}

function read(path: string, handsIn: readonly string[] = [P4]) {
  const diagnostics = new Diagnostics();
  const submissions = findSubmissions(path, handsIn, diagnostics).map(({ files, ...rest }) => ({
    ...rest,
    files: Object.fromEntries(files),
  }));
  return { submissions, warnings: diagnostics.list.map(({ message }) => message.replaceAll(`${path}/`, "")) };
}

describe("submissions", () => {
  it("that are no archive stay in the results, with the reason", () => {
    const { submissions, warnings } = found({ "bad.zip": "text", [`good/${P4}`]: "p" });
    expect(submissions).toEqual([
      { name: "bad", files: {}, refused: "not a ZIP archive" },
      { name: "good", files: { [P4]: "p" } },
    ]);
    expect(warnings).toEqual(["bad.zip: not a ZIP archive; it is not read"]);
  });

  it("may be in an archive in their folder; one that cannot be read has no files", () => {
    const inner = zipOf([{ path: P4, content: "p" }]);
    const { submissions, warnings } = found({ "one/x.zip": inner, "two/x.zip": "text" });
    expect(submissions).toEqual([
      { name: "one", files: { [P4]: "p" } },
      { name: "two", files: {} },
    ]);
    expect(warnings).toEqual(["two/x.zip: not a ZIP archive; it is not read"]);
  });

  it("are in the order of their names, also in an archive that has another", () => {
    const path = join(folder, "all.zip");
    writeFileSync(path, zipOf(["c", "a", "b"].map((name) => ({ path: `${name}/${P4}`, content: name }))));
    expect(read(path).submissions.map(({ name, files }) => [name, files[P4]])).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["c", "c"],
    ]);
  });

  it("say which file has nearly the name of a missing one, and never the file itself", () => {
    expect(found({ "one/A.P4": "p", "two/other.p4": "p" }).submissions).toEqual([
      { name: "one", files: {}, similar: new Map([[P4, "A.P4"]]) },
      { name: "two", files: {} },
    ]);
    const { submissions, warnings } = found({ [`one/${P4}`]: new Uint8Array([0xff, 0xfe]) });
    expect(submissions).toEqual([{ name: "one", files: {} }]);
    expect(warnings).toEqual([`one/${P4}: not UTF-8 text; it is not read`]);
  });

  it("may be a single file where one is handed in", () => {
    expect(found({ "ann.p4": "p" }).submissions).toEqual([{ name: "ann", files: { [P4]: "p" } }]);
    const failure = (handsIn: readonly string[]) => {
      try {
        found({ "ann.p4": "p" }, handsIn);
      } catch (error) {
        return (error as { diagnostics: { notes: { message: string }[] }[] }).diagnostics.at(-1)!.notes[0]!
          .message;
      }
      return undefined;
    };
    expect(failure([P4, "b.p4"])).toBe("a submission is a folder or a .zip with a.p4, b.p4");
    expect(failure(["x.py"])).toBe("a submission is a folder or a .zip with x.py, or a file in place of it");
  });
});

describe("an archive", () => {
  const plain = () => zipOf([{ path: P4, content: "text of the program", method: 0 }]);
  const END = 22;
  /** Offset of the directory. */
  const directory = (bytes: Buffer) => bytes.readUInt32LE(bytes.length - END + 16);
  const changed = (bytes: Buffer, change: (bytes: Buffer) => void) => {
    change(bytes);
    return bytes;
  };
  const reason = (bytes: Buffer) => {
    try {
      new ZipArchive(bytes).read(P4, 1000);
    } catch (error) {
      return (error as Error).message;
    }
    return "read";
  };

  it("is read where nothing is wrong", () => {
    expect(reason(plain())).toBe("read");
  });

  it.each<[string, Buffer, string]>([
    [
      "data beyond its end",
      changed(plain(), (bytes) => bytes.writeUInt32LE(1e6, directory(bytes) + 20)),
      "damaged: the archive's directory gives a wrong place for it",
    ],
    [
      "a directory in the 64-bit form",
      changed(plain(), (bytes) => bytes.writeUInt32LE(0xffffffff, bytes.length - END + 16)),
      "an archive in the 64-bit form",
    ],
    [
      "a directory of other records",
      changed(plain(), (bytes) => bytes.writeUInt32LE(0, directory(bytes))),
      "damaged: its directory ends early",
    ],
    [
      "more entries than its directory has",
      changed(plain(), (bytes) => bytes.writeUInt16LE(2, bytes.length - END + 10)),
      "damaged: its directory ends early",
    ],
    [
      "data that are not deflated",
      changed(zipOf([{ path: P4, content: "x".repeat(100) }]), (bytes) =>
        bytes.fill(0xff, 30 + P4.length, 34 + P4.length),
      ),
      "damaged: it cannot be unpacked",
    ],
    [
      "more data than it says",
      zipOf([{ path: P4, content: "x".repeat(5000), says: { size: 10 } }]),
      "more than 1000 bytes",
    ],
    ["a path with a dot", zipOf([{ path: `./${P4}` }]), 'its path "./a.p4" leads out of the archive'],
    ["a path upwards", zipOf([{ path: `../${P4}` }]), 'its path "../a.p4" leads out of the archive'],
    ["an empty name", zipOf([{ path: `x//${P4}` }]), 'its path "x//a.p4" leads out of the archive'],
  ])("with %s is refused with the reason", (_, bytes, why) => {
    expect(reason(bytes)).toBe(why);
  });
});

describe("messages of controllers", () => {
  it("keep numbers of any size, bytes, null, and objects that look like them", () => {
    const message = {
      ...{ big: 2n ** 80n, bytes: new Uint8Array([0, 255]), none: null, list: [null, 1n, "x", true, 0.5] },
      looks: { $number: 5, $bytes: null },
    };
    expect(decode(encode(message))).toEqual(message);
    expect(decode("null")).toBeNull();
  });

  it("are lines, whatever pieces they come in", () => {
    const lines: string[] = [];
    const take = lineReader((line) => lines.push(line));
    for (const piece of ["a", "b\nc\n\nd", "e", "\n", "f"]) take(piece);
    expect(lines).toEqual(["ab", "c", "de"]);
  });
});
