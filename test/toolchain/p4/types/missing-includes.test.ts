/** A name that another library file declares: the message names the file, once. */
import { expect, it } from "vitest";
import { standardLibrary } from "../../../../src/toolchain/p4/index.js";
import { filesDeclaring } from "../../../../src/toolchain/p4/stdlib/index.js";
import { checkText } from "./checked.js";

function messages(text: string) {
  return checkText(text).diagnostics.list.map(({ message, notes }) => [
    message,
    ...notes.map((note) => note.message),
  ]);
}

it("a program without its architecture gets the file that declares the name, once", () => {
  const text = `#include <core.p4>
    control C(inout ingress_intrinsic_metadata_for_tm_t tm, in ingress_intrinsic_metadata_t md) { apply { } }`;
  expect(messages(text)).toEqual([
    [
      "no type 'ingress_intrinsic_metadata_for_tm_t' is declared here",
      "declared in tna.p4, t2na.p4, which this program does not include",
    ],
    ["no type 'ingress_intrinsic_metadata_t' is declared here"],
  ]);
  expect(messages("parser P(packet_in p) { state start { transition accept; } }")).toEqual([
    ["no type 'packet_in' is declared here", "declared in core.p4, which this program does not include"],
  ]);
});

it("a name of another architecture gets both the near name and its file", () => {
  expect(messages("#include <tna.p4>\ncontrol C() { register<bit<32>>(16) cells; apply { } }")).toEqual([
    [
      "no type 'register' is declared here",
      "did you mean 'Register'?",
      "register is a name of v1model; on a Tofino an object Register<T, I>(SIZE) with a RegisterAction",
    ],
  ]);
});

it("a program for a Tofino gets what takes the place of v1model's names, once", () => {
  const text = `#include <ARCH>
    control C(inout bit<9> port) { apply { port = standard_metadata.ingress_port; standard_metadata.egress_spec = port; } }`;
  for (const arch of ["tna.p4", "t2na.p4"]) {
    const [first, second] = messages(text.replace("ARCH", arch));
    expect(first![0]).toBe("no name 'standard_metadata' is declared here");
    expect(first![1]).toMatch(/v1model; on a Tofino .*ig_intr_md\.ingress_port.*ig_tm_md\.ucast_egress_port/);
    expect(second).toEqual(["no name 'standard_metadata' is declared here"]);
  }
  expect(messages(text.replace("ARCH", "psa.p4")).flat().join()).not.toContain("Tofino");
});

it("a name that no library file declares gets no such note", () => {
  expect(messages("control C(in nowhere_t x) { apply { } }")).toEqual([
    ["no type 'nowhere_t' is declared here"],
  ]);
});

it.each(["core.p4", "v1model.p4", "psa.p4", "pna.p4", "tna.p4", "t2na.p4"])(
  "the names of %s are those that the checker sees in it",
  (file) => {
    expect(standardLibrary(file)).toBeDefined();
    const { program } = checkText(`#include <${file}>\n`);
    const core = new Set(checkText("#include <core.p4>\n").program.globals.keys());
    const seen = [...program.globals.keys()].filter((name) => file === "core.p4" || !core.has(name));
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.filter((name) => !filesDeclaring(name, new Set()).includes(file))).toEqual([]);
  },
);
