/** Traces as people read them. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceLines, Story } from "../../../src/toolchain/trace/index.js";
import { timeText, valueText } from "../../../src/toolchain/trace/values.js";
import { startFeatures } from "../switch/trace/features.js";

const folder = resolve(import.meta.dirname, "../switch/trace");

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

/** The story without what the features program does with every packet. */
function storyOf(hex: string, options: { source?: string; colours?: boolean } = {}): string[] {
  const { trace } = startFeatures();
  const story = new Story(new SourceLines(options.source, textOf), options.colours ?? false);
  return story.of(trace(hex)).filter((line) => !/if \(hdr\.order\.what == \d+\): no/.test(line));
}

/** Left parts of the lines, without the source. */
const saying = (lines: readonly string[]) => lines.map((line) => line.replace(/ {2,}features\.p4:.*$/, ""));

describe("a story", () => {
  it("describes a routed packet", () => {
    expect(saying(storyOf("01000a010203"))).toMatchInlineSnapshot(`
      [
        "packet 0 on port 1: 6 bytes at 0 µs",
        "  parser",
        "    extract order (6 bytes): what 1, value 0, address 10.1.2.3",
        "    verify (((order.what != 0x63) || ((order.value & 0x1) == 0x0))): yes (order.what is 1, order.value is 0)",
        "    start: order.what, order.value is 0x01, 0x00: go to accept",
        "  ingress",
        "    meta_t.kept: 0 -> 0",
        "    if (hdr.order.what == 1): yes (order.what is 1)",
        "    table TheIngress.routes: hit",
        "      hdr.order.address is 10.1.2.3",
        "      entry 0: hdr.order.address 10.0.0.0/8",
        "      direct counter: now 1 packet, 6 bytes",
        "      TheIngress.send(port 2)",
        "        standard_metadata.egress_spec: 0 -> 2",
        "  egress for port 2",
        "  deparser",
        "    order 6 + payload 0 = 6 bytes",
        "  sent on port 2: 6 bytes at 0 µs",
      ]
    `);
  });

  it("describes a packet that a group's member takes", () => {
    expect(saying(storyOf("02000a010203"))).toMatchInlineSnapshot(`
      [
        "packet 0 on port 1: 6 bytes at 0 µs",
        "  parser",
        "    extract order (6 bytes): what 2, value 0, address 10.1.2.3",
        "    verify (((order.what != 0x63) || ((order.value & 0x1) == 0x0))): yes (order.what is 2, order.value is 0)",
        "    start: order.what, order.value is 0x02, 0x00: go to accept",
        "  ingress",
        "    meta_t.kept: 0 -> 0",
        "    if (hdr.order.what == 2): yes (order.what is 2)",
        "    table TheIngress.balanced: hit",
        "      hdr.order.what is 2",
        "      entry 0: hdr.order.what 2",
        "      group 7: crc16 over 0a01020300 is 0x0000cd38",
        "      number 0 of 3 (the hash modulo 3)",
        "      member 10",
        "      TheIngress.send(port 10)",
        "        standard_metadata.egress_spec: 0 -> 10",
        "  egress for port 10",
        "  deparser",
        "    order 6 + payload 0 = 6 bytes",
        "  sent on port 10: 6 bytes at 0 µs",
      ]
    `);
  });

  it("describes copies below the packet, and a clone", () => {
    expect(saying(storyOf("03030a000001"))).toMatchInlineSnapshot(`
      [
        "packet 0 on port 1: 6 bytes at 0 µs",
        "  parser",
        "    extract order (6 bytes): what 3, value 3, address 10.0.0.1",
        "    verify (((order.what != 0x63) || ((order.value & 0x1) == 0x0))): yes (order.what is 3, order.value is 3)",
        "    start: order.what, order.value is 0x03, 0x03: go to accept",
        "  ingress",
        "    meta_t.kept: 0 -> 3",
        "    if (hdr.order.what == 3): yes (order.what is 3)",
        "    standard_metadata.mcast_grp: 0 -> 3",
        "    multicast group 3: ports 5, 6",
        "  copy for port 5, replica instance 1",
        "    egress for port 5",
        "    deparser",
        "      order 6 + payload 0 = 6 bytes",
        "    sent on port 5: 6 bytes at 0 µs",
        "  copy for port 6, replica instance 2",
        "    egress for port 6",
        "    deparser",
        "      order 6 + payload 0 = 6 bytes",
        "    sent on port 6: 6 bytes at 0 µs",
      ]
    `);
    expect(saying(storyOf("04050a000001"))).toMatchInlineSnapshot(`
      [
        "packet 0 on port 1: 6 bytes at 0 µs",
        "  parser",
        "    extract order (6 bytes): what 4, value 5, address 10.0.0.1",
        "    verify (((order.what != 0x63) || ((order.value & 0x1) == 0x0))): yes (order.what is 4, order.value is 5)",
        "    start: order.what, order.value is 0x04, 0x05: go to accept",
        "  ingress",
        "    meta_t.kept: 0 -> 5",
        "    if (hdr.order.what == 4): yes (order.what is 4)",
        "    clone (I2E) to session 5",
        "    standard_metadata.egress_spec: 0 -> 4",
        "  egress for port 4",
        "  deparser",
        "    order 6 + payload 0 = 6 bytes",
        "  sent on port 4: 6 bytes at 0 µs",
        "  clone of the packet as it came in for port 8, replica instance 9",
        "    parser",
        "      extract order (6 bytes): what 4, value 5, address 10.0.0.1",
        "      verify (((order.what != 0x63) || ((order.value & 0x1) == 0x0))): yes (order.what is 4, order.value is 5)",
        "      start: order.what, order.value is 0x04, 0x05: go to accept",
        "    egress for port 8",
        "    deparser",
        "      order 6 + payload 0 = 6 bytes, cut to 4",
        "    sent on port 8: 4 bytes at 0 µs",
      ]
    `);
  });

  it("describes resources, hashes, headers and parser errors", () => {
    for (const hex of ["06090a000001", "07010a000001", "0b010a000001", "0102", "14050a010203"])
      expect(saying(storyOf(hex))).toMatchSnapshot(hex);
  });

  it("ends a drop with the line that decided it", () => {
    const last = storyOf("01000b010203").at(-1);
    expect(last).toMatch(/^ {2}dropped in ingress: mark_to_drop {2,}features\.p4:66 {2}mark_to_drop\(sm\)$/);
  });

  it("quotes whole lines of the source where it is there", () => {
    const last = storyOf("01000b010203", { source: folder }).at(-1);
    expect(last).toMatch(/features\.p4:66 {2}mark_to_drop\(sm\);$/);
  });

  it("lets nothing of a program steer the terminal", () => {
    const { trace } = startFeatures();
    const packet = trace("07010a000001");
    packet.root.events.push({ kind: "log_message", message: "\x1b[2J\n\u009b" });
    const lines = new Story(new SourceLines(undefined, textOf), false).of(packet);
    expect(lines).toContain("    log: \\x1b[2J\\x0a\\x9b");
  });

  it("has colours when they are asked for, and says the same", () => {
    const plain = storyOf("01000b010203");
    const coloured = storyOf("01000b010203", { colours: true });
    expect(coloured.at(-1)).toContain("\x1b[31mdropped");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
    expect(coloured.map((line) => line.replace(/\x1b\[\d+m/g, ""))).toEqual(plain);
  });
});

describe("values", () => {
  it.each([
    ["eth.dst", "0x02000000019b", "02:00:00:00:01:9b"],
    ["ipv4.src_addr", "0x0a000001", "10.0.0.1"],
    ["hdr.ipv4.dst", "0xffffffff", "255.255.255.255"],
    ["meta.seen", "0x0000000a", "10"],
    ["ipv6.src", "0x20010db8000000000000000000000001", "2001:db8::1"],
    ["ipv6.src", "0x00000000000000000000000000000000", "::"],
    ["ipv6.src", "0x00010002000300040005000600070008", "1:2:3:4:5:6:7:8"],
    ["ipv6.src", "0x00010000000300040005000600070008", "1:0:3:4:5:6:7:8"],
    ["ipv6.src", "0xfe800000000000000000000000000000", "fe80::"],
    ["eth.ether_type", "0x0800", "0x0800"],
    ["ipv4.flags", "0x2", "2"],
    ["ipv4.ttl", "0x40", "64"],
    ["meta.wide", "0x0000000000000010", "0x10"],
    ["options.data", "0x", "0x"],
  ])("%s %s is %s", (name, value, text) => {
    expect(valueText(name, value)).toBe(text);
  });

  it.each([
    [0, "0 µs"],
    [999.5, "999.5 µs"],
    [1500, "1.5 ms"],
    [2_000_000, "2 s"],
  ])("%d µs is %s", (us, text) => {
    expect(timeText(us)).toBe(text);
  });
});
