/** Packet tests played on the switch: tables, priorities, commands, counters, and what fails. */
import { describe, expect, it } from "vitest";
import { play, small } from "./small.js";

const GOOD = { failed: 0, codes: [], messages: [] };
const ROUTES = "add exactly data.kind:1 data.isValid():1 send(port:2)\n";

describe("a test that passes", () => {
  it("counts each expectation", async () => {
    const text = `${ROUTES}packet 0 01 1234 00 ff\nexpect 2 01 1234 00 ff\npacket 0 01 0000 07\nexpect 2 01 **** 07 $\n`;
    expect(await play(text)).toEqual({ ...GOOD, passed: 2 });
  });

  it("takes names of a program without P4Info from its JSON", async () => {
    const text = `${ROUTES}add masked 1 key:0x12** mark(value:9)\npacket 0 01 1234 00\nexpect 2 01 1234 09\n`;
    expect(await play(text, { bmv2: small.bmv2 })).toEqual({ ...GOOD, passed: 1 });
  });

  it("knows a header's validity by three names", async () => {
    for (const name of ["data.valid", "hdr.data.$valid$", "data"]) {
      const text = `add exactly kind:1 ${name}:1 send(port:3)\npacket 0 01 0000 00\nexpect 3 01 0000 00 $\n`;
      expect(await play(text)).toEqual({ ...GOOD, passed: 1 });
    }
  });

  it("takes an exact field that is not named for 0", async () => {
    expect(
      await play("add exactly data.valid:1 send(port:3)\npacket 0 00 0000 00\nexpect 3 00000000$\n"),
    ).toEqual({
      ...GOOD,
      passed: 1,
    });
  });

  it("lets the larger priority win", async () => {
    const entries = [
      "add masked 10 data.key:0x12** mark(value:1)",
      "add masked 20 data.key:0x1234 mark(value:2)",
    ];
    for (const order of [entries, [...entries].reverse()]) {
      const text = `${ROUTES}${order.join("\n")}\npacket 0 01 1234 00\nexpect 2 01 1234 02\npacket 0 01 1256 00\nexpect 2 01 1256 01\n`;
      expect(await play(text)).toEqual({ ...GOOD, passed: 2 });
    }
  });

  it("puts add and table_add on one scale, as p4c's runner does: n against 10000 - n", async () => {
    const both = (priority: number) =>
      `${ROUTES}add masked 50 data.key:0x1234 mark(value:1)\n` +
      `table_add masked mark 0x1234&&&0xffff 0&&&0 => 2 ${priority}\npacket 0 01 1234 00\n`;
    expect(await play(`${both(9949)}expect 2 01 1234 02\n`)).toEqual({ ...GOOD, passed: 1 });
    expect(await play(`${both(9951)}expect 2 01 1234 01\n`)).toEqual({ ...GOOD, passed: 1 });
  });

  it("matches prefixes by length and by stars, and ranges", async () => {
    const text =
      `${ROUTES}add prefixes data.key:0x1200/8 mark(value:1)\nadd prefixes data.key:0x123* mark(value:2)\n` +
      "add ranges 1 data.value:1->1 mark(value:0x11)\n" +
      "packet 0 01 1256 00\nexpect 2 01 1256 11\npacket 0 01 1234 00\nexpect 2 01 1234 02\n";
    expect(await play(text)).toEqual({ ...GOOD, passed: 2 });
  });

  it("has ports that take anything, and ports that it does not name", async () => {
    expect(await play(`${ROUTES}packet 0 01 0000 00\npacket 0 01 0000 01\nexpect 2\n`)).toEqual({
      ...GOOD,
      passed: 1,
    });
    const { failed, codes, messages } = await play(`${ROUTES}packet 0 01 0000 00\npacket 0 01 0000 01\n`);
    expect([failed, codes]).toEqual([0, ["P41250"]]);
    expect(messages[0]).toMatch(/^test\.stf:2:1: warning\[P41250\]: a packet left port 2/);
  });

  it("carries commands of simple_switch_CLI out in their place, and hands on what they print", async () => {
    const printed: string[] = [];
    const text =
      `${ROUTES}mirroring_add 5 3\nadd masked 1 data.key:0x1234 mirror()\n` +
      "packet 0 01 1234 00\nexpect 2 01123400$\nexpect 3 01123400$\nregister_read last 0\nregister_write last 1 77\nregister_read last 1\n";
    expect(await play(text, small, { print: (line) => printed.push(line) })).toEqual({ ...GOOD, passed: 2 });
    expect(printed.map((line) => line.replace(/.*= */, ""))).toEqual(["1", "77"]);
  });

  it("checks counters by index, by entry number and by an entry's name", async () => {
    const text =
      "add exactly kind:1 data:1 send(port:2) = $one\nadd exactly kind:2 data:1 send(port:2) = two\n" +
      "packet 0 01 0000 00\npacket 0 01 0000 00 ff\npacket 0 02 0000 00\nexpect 2\n" +
      "check_counter seen(1) packets == 2\ncheck_counter seen(1) bytes == 9\ncheck_counter seen(3)\n" +
      "check_counter hits($one) bytes >= 9\ncheck_counter hits($two) packets != 2\ncheck_counter hits(1) packets < 2\n";
    expect(await play(text)).toEqual({ ...GOOD, passed: 7 });
  });

  it("removes all entries, and sets defaults", async () => {
    const text =
      `${ROUTES}packet 0 01 0000 00\nexpect 2 01000000\nremove all\npacket 0 01 0000 01\nno_packet\n` +
      "setdefault exactly send(port:1)\npacket 0 09 0000 02\nexpect 1 09000002\n";
    expect(await play(text)).toEqual({ ...GOOD, passed: 2 });
  });

  it("lets time pass: a queue of one packet a second holds a packet back until the end", async () => {
    const text = `${ROUTES}set_queue_rate 1\npacket 0 01 0000 00\npacket 0 01 0000 01\nwait\nexpect 2 01000000\nexpect 2 01000001\n`;
    expect(await play(text)).toEqual({ ...GOOD, passed: 2 });
  });
});

describe("a test that fails", () => {
  it("shows the first byte that differs, both packets and the line that caused it", async () => {
    const { passed, failed, messages } = await play(`${ROUTES}packet 0 01 1234 00\nexpect 2 01 1*35 00\n`);
    expect([passed, failed]).toEqual([0, 1]);
    expect(messages[0]!.split("\n")).toEqual([
      "test.stf:3:1: error[P41255]: another packet left port 2: byte 2 is 34, not 35",
      "    expect 2 01 1*35 00",
      "    ^^^^^^^^^^^^^^^^^^^",
      "note: expected 011*3500",
      "note: got      01123400",
      "test.stf:2:1: note: it left after this",
      "    packet 0 01 1234 00",
      "    ^^^^^^^^^^^^^^^^^^^",
    ]);
  });

  it("reports only the packet that is missing, not those behind it", async () => {
    const { passed, failed, codes, messages } = await play(
      `${ROUTES}packet 0 01 0000 01\npacket 0 01 0000 03\nexpect 2 01000001\nexpect 2 01000002\nexpect 2 01000003\n`,
    );
    expect([passed, failed, codes]).toEqual([2, 1, ["P41256"]]);
    expect(messages[0]).toMatch(/^test\.stf:5:1: .*no such packet left port 2/);
  });

  it("reports only the packet that is too much, at the line that caused it", async () => {
    const { passed, failed, codes, messages } = await play(
      `${ROUTES}packet 0 01 0000 01\npacket 0 01 0000 02\npacket 0 01 0000 03\nexpect 2 01000001\nexpect 2 01000003\n`,
    );
    expect([passed, failed, codes]).toEqual([2, 1, ["P41257"]]);
    expect(messages[0]).toMatch(/^test\.stf:3:1: /);
  });

  it("fails a packet at a port that only packets come in on", async () => {
    expect((await play("add exactly kind:1 data:1 send(port:0)\npacket 0 01 0000 00\n")).codes).toEqual([
      "P41257",
    ]);
  });

  it("fails a counter that has another value", async () => {
    const { failed, messages } = await play(
      `${ROUTES}packet 0 01 0000 00\nexpect 2\ncheck_counter seen(1) packets > 1\n`,
    );
    expect(failed).toBe(1);
    expect(messages[0]).toMatch(
      /^test\.stf:4:1: error\[P41258\]: counter seen\(1\) has 1 packets; expected > 1/,
    );
  });

  it("continues after a command that cannot be carried out", async () => {
    const { passed, failed, codes } = await play(
      `${ROUTES}${ROUTES}mc_node_associate 1 0\npacket 0 01 0000 00\nexpect 2 01000000\n`,
    );
    expect([passed, failed]).toEqual([1, 2]);
    expect(codes[0]).toBe("P41259");
  });

  it("gives a wrong command of simple_switch_CLI its place in the file", async () => {
    const { messages } = await play(`${ROUTES}# here\n  register_write nowhere 0 1\n`);
    expect(messages[0]).toMatch(/^test\.stf:3:18: /);
  });
});
