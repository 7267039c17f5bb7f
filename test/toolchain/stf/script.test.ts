/** Reading packet tests: every form of line, and places of what cannot be read. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile, spanText } from "../../../src/base/index.js";
import { readStf } from "../../../src/toolchain/stf/script.js";

function read(text: string) {
  const diagnostics = new Diagnostics();
  const commands = readStf(new SourceFile("test.stf", text), diagnostics);
  return { commands, messages: diagnostics.list.map((each) => formatDiagnostic(each).split("\n")[0]) };
}

const one = (text: string) => {
  const { commands, messages } = read(text);
  expect(messages).toEqual([]);
  return commands[0]!;
};

describe("readStf", () => {
  it("reads entries with and without priority, labels, and every form of value", () => {
    const command = one(
      'add a.b 7 x$0.y:0x1* "odd name":1->2 h.isValid():1 k:10/8 m:1&&&3 c.act(p:1, q:0xff) = $L',
    );
    if (command.kind !== "add") throw new Error(command.kind);
    expect(command.table.text).toBe("a.b");
    expect([command.priority, command.label]).toEqual([7, "L"]);
    expect(command.match.map(({ field, value }) => [field.text, value.text])).toEqual([
      ["x$0.y", "0x1*"],
      ["odd name", "1->2"],
      ["h.isValid()", "1"],
      ["k", "10/8"],
      ["m", "1&&&3"],
    ]);
    expect(command.action.name.text).toBe("c.act");
    expect(command.action.args.map(({ name, value }) => [name.text, value.text])).toEqual([
      ["p", "1"],
      ["q", "0xff"],
    ]);
  });

  it("takes a number before a colon for a key field, not for a priority", () => {
    const command = one("add t 5:1 a()");
    if (command.kind !== "add") throw new Error(command.kind);
    expect([command.priority, command.match[0]?.field.text]).toEqual([undefined, "5"]);
  });

  it("reads packets and expectations with blanks anywhere", () => {
    expect(one("packet 3 0 1 23 4 5")).toMatchObject({
      kind: "packet",
      port: 3,
      bytes: Uint8Array.of(1, 0x23, 0x45),
    });
    const expected = one("expect 2 a* *4 $ # and so on");
    if (expected.kind !== "expect") throw new Error(expected.kind);
    expect([...expected.pattern!.nibbles, expected.pattern!.exact]).toEqual([10, -1, -1, 4, true]);
    expect(one("expect 2")).toMatchObject({ kind: "expect", port: 2, pattern: undefined });
  });

  it("reads check_counter with and without unit and condition", () => {
    expect(one("check_counter c.d($A) bytes >= 12")).toMatchObject({
      counter: { text: "c.d" },
      index: { text: "$A" },
      unit: "bytes",
      comparison: ">=",
      value: 12,
    });
    expect(one("check_counter c(3) != 1")).toMatchObject({ unit: "packets", comparison: "!=", value: 1 });
    expect(one("check_counter c(3)")).toMatchObject({ unit: "packets", comparison: "==", value: 0 });
  });

  it("keeps commands of simple_switch_CLI as they stand", () => {
    const command = one("  mc_node_create 400 6 7  # copies");
    expect([command.kind, spanText(command.span)]).toEqual(["cli", "mc_node_create 400 6 7"]);
  });

  it("reads the words without arguments, blank lines and comments", () => {
    const { commands } = read("\n# nothing\nwait\nno_packet\nremove all\nsetdefault t a()\r\n");
    expect(commands.map(({ kind }) => kind)).toEqual(["wait", "noPacket", "removeAll", "setDefault"]);
  });

  it("reads what the tests of the Tofino compiler write: several commands a line, texts, loops, octal numbers", () => {
    const { commands, messages } = read(
      'setenv HEAD 00 01\n$(for n in $(seq 9 10); do printf "packet 4 %04x %02d $HEAD;" $n 7; done)\n' +
        "packet 1 $HEAD 02; wait; $UNKNOWN\nghost run 0x10:5 2:0x11\ncheck_register r(3) hi = 017; check_register r(0x3) = 17\nmc_mgrp_create 1; wait",
    );
    expect(messages).toEqual(["test.stf:3:1: error[P41251]: no STF command `$UNKNOWN`"]);
    expect(commands.slice(0, 4)).toMatchObject([
      { kind: "packet", port: 4, bytes: Uint8Array.of(0, 9, 7, 0, 1) },
      { kind: "packet", port: 4, bytes: Uint8Array.of(0, 10, 7, 0, 1) },
      { kind: "packet", port: 1, bytes: Uint8Array.of(0, 1, 2) },
      { kind: "wait" },
    ]);
    expect(commands.slice(4)).toMatchObject([
      {
        kind: "ghost",
        reports: [
          { queue: 16, length: 5 },
          { queue: 2, length: 17 },
        ],
      },
      { kind: "checkRegister", part: "hi", value: 15 },
      { kind: "checkRegister", value: 17 },
      { kind: "cli", text: "mc_mgrp_create 1" },
      { kind: "wait" },
    ]);
  });

  it.each([
    '$(for n in $(seq 1 99999999); do printf "wait;" ; done)',
    '$(for n in $(seq 1 3); do printf "packet 1 %02x;" $m; done)',
    "$(date)",
  ])("refuses a loop that is none, or too long: %s", (text) => {
    const { commands, messages } = read(`${text}\nwait`);
    expect(commands.map(({ kind }) => kind)).toEqual(["wait"]);
    expect(messages).toEqual([expect.stringMatching(/^test\.stf:1:1: error\[P41252\]: expected a loop/)]);
  });

  it.each(["ghost", "ghost run", "ghost run 1", "ghost run 1:x"])("refuses %s", (text) => {
    expect(read(text).messages).toEqual([expect.stringContaining("P41252")]);
  });

  it("leaves out what it cannot read, says where, and continues", () => {
    const { commands, messages } = read(
      "pakcet 0 00\npacket x 00\npacket 0 0\nexpect 1 0g\nadd t k: a()\nadd t a(p 1)\nadd t a() b\nremove t\ncheck_counter c(1) ~ 2\nwait\n",
    );
    expect(commands.map(({ kind }) => kind)).toEqual(["wait"]);
    expect(messages.map((message) => message!.replace(/: error/, "").replace(/: .*/, ""))).toEqual([
      "test.stf:1:1[P41251]",
      "test.stf:2:8[P41252]",
      "test.stf:3:10[P41252]",
      "test.stf:4:10[P41252]",
      "test.stf:5:11[P41252]",
      "test.stf:6:11[P41252]",
      "test.stf:7:11[P41252]",
      "test.stf:8:8[P41252]",
      "test.stf:9:20[P41252]",
    ]);
  });
});
