/** The functions of a chip as P4: the embedded switch computes what the path model computes, for each function and slice. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { HashOfFlow, rawFlow } from "../../../../src/fabric/paths/index.js";
import { addressWords } from "../../../../src/fabric/paths/raw-flow.js";
import { call, exact, ingressName, insert, tableEntry } from "../../../../src/fabric/schemes/fabric.js";
import {
  chipFunction,
  customCrc,
  hashModelOf,
  statementsOf,
} from "../../../../src/fabric/schemes/hashing/functions.js";
import { hashingProgram } from "../../../../src/fabric/schemes/hashing/index.js";
import { calculationName } from "../../../../src/fabric/schemes/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { findCrc } from "../../../../src/toolchain/hash/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { messagesOf } from "../../topology/load.js";
import { frameOf } from "../frames.js";

const NAMES = [
  "rtag7/crc16-bisync",
  "rtag7/crc16-bisync:bits=8-15",
  "rtag7/crc16-bisync-xor1",
  "rtag7/crc16-bisync-xor2",
  "rtag7/crc16-bisync-xor4",
  "rtag7/crc16-bisync-xor8",
  "rtag7/xor16",
  "rtag7/xor16:bits=3-11",
  "rtag7/crc16-ccitt",
  "rtag7/crc32-low",
  "rtag7/crc32-high",
  "rtag7/crc32-high:bits=4-12",
  "CRC-16/ARC",
  "CRC-32/ISO-HDLC",
  "CRC-32/ISCSI",
  "CRC-32/ISCSI:bits=10-31",
  "CRC-16/XMODEM",
  "crc16/0x8BB7",
  "crc32/0x741b8cd7:bits=0-19",
  "ideal",
  "ideal:bits=7-20",
];
/** A prime number of slots: each bit of a hash value counts. */
const SLOTS = 61;

describe("the functions of a chip", () => {
  it("are the same in P4 and in the path model", async () => {
    const functions = NAMES.map((name) => chipFunction(name));
    const plan = hashingProgram("tor", {
      role: "tor",
      functions: functions.map((own) => ({ name: own.name, statements: statementsOf(own) })),
      classed: false,
      sources: 0,
      routes: 16,
      groups: 16,
      members: 64,
    });
    const diagnostics = new Diagnostics();
    const text = renderProgram(templates, plan);
    const result = compile({ file: new SourceFile("tor.p4", text) }, diagnostics);
    diagnostics.throwIfErrors();
    const sent: number[] = [];
    const device = new Switch(result!.program, {
      clock: { now: () => 0, at: () => () => {} },
      seed: 1,
      transmit: (port) => sent.push(port),
    });
    const counts = { 16: 0, 32: 0 };
    for (const own of functions) {
      const crc = customCrc(own);
      if (crc === undefined) continue;
      const width = crc.width as 16 | 32;
      const setting = {
        kind: "crc" as const,
        calculation: counts[width]++,
        width,
        parameters: {
          polynomial: BigInt(crc.poly),
          initial: BigInt(crc.init),
          finalXor: BigInt(crc.xorout),
          reflectData: crc.refin,
          reflectRemainder: crc.refout,
        },
      };
      await device.settings.setCrcParameters(calculationName(device, setting), width, setting.parameters);
    }
    const profile = ingressName("group_members");
    const members = Array.from({ length: SLOTS }, (_, slot) => ({ memberId: slot + 1, weight: 1 }));
    const seeds = functions.map((_, i) => Math.imul(i, 0x01234567) >>> 0);
    await device.write([
      ...functions.map((_, i) =>
        tableEntry("hash_seed", [exact("standard_metadata.ingress_port", i + 1)], {
          kind: "action",
          ...call("set_hash", { function: i, seed: seeds[i]!, arrival: 0 }),
        }),
      ),
      ...members.map(({ memberId }) =>
        insert({
          kind: "member",
          profile,
          memberId,
          action: call("to_next_hop", { port: 100 + memberId - 1, mac: 5 }),
        }),
      ),
      insert({ kind: "group", profile, groupId: 1, members, maxSize: SLOTS }),
      tableEntry("groups", [exact("meta.next_hops", 1)], { kind: "group", groupId: 1 }),
      ...(["ipv4", "ipv6"] as const).map((family) =>
        tableEntry(`${family}_routes`, [], { kind: "action", ...call("to_group", { next_hops: 1 }) }),
      ),
    ]);
    const raw = rawFlow();
    for (const [i, own] of functions.entries()) {
      const hash = new HashOfFlow(hashModelOf(own));
      const found: number[] = [];
      const wanted: number[] = [];
      for (let number = 0; number < 8; number++) {
        const family = number % 2 === 0 ? "ipv4" : "ipv6";
        const wide = family === "ipv4" ? 1n : 0x10001_0000_0203_0405n << 40n;
        const flow = {
          src: 0x0a010203n * wide + BigInt(number),
          dst: 0x0a020304n * wide,
          protocol: number < 4 ? 6 : 17,
          srcPort: 40_000 + 257 * number,
          dstPort: 5201,
        };
        sent.length = 0;
        device.receive(i + 1, frameOf({ family, flow, field: "dscp", selector: 0 }));
        found.push(...sent);
        raw.src.set(addressWords(flow.src));
        raw.dst.set(addressWords(flow.dst));
        raw.protocol = flow.protocol;
        raw.sourcePort = flow.srcPort;
        raw.destinationPort = flow.dstPort;
        raw.seed = seeds[i]!;
        wanted.push(100 + (hash.of(raw) % SLOTS));
      }
      expect([own.name, ...found]).toEqual([own.name, ...wanted]);
      expect(new Set(found).size).toBeGreaterThan(2);
    }
  });

  it("have values within their slice, and only `ideal` is not affine", () => {
    const bytes = (value: number) =>
      Uint8Array.from({ length: 28 }, (_, i) => Math.imul(31 * value + i, 0x9e3779b1) >>> 24);
    const zero = new Uint8Array(28);
    for (const name of NAMES) {
      const { width } = chipFunction(name);
      const { hash, affine } = hashModelOf(chipFunction(name));
      let union = 0;
      let broken = 0;
      for (let i = 1; i < 200; i++) {
        const [a, b] = [bytes(i), bytes(7 * i + 5)];
        const both = a.map((byte, at) => byte ^ b[at]!);
        union = (union | hash(a, 28)) >>> 0;
        if ((hash(both, 28) ^ hash(a, 28) ^ hash(b, 28) ^ hash(zero, 28)) !== 0) broken++;
      }
      // A fold of `bits` bits is below the high byte of BISYNC.
      const fold = /xor(\d)$/.exec(name)?.[1];
      expect([name, union]).toEqual([
        name,
        fold === undefined ? 2 ** width - 1 : 0xff00 | (2 ** Number(fold) - 1),
      ]);
      expect([name, broken === 0]).toEqual([name, affine]);
    }
  });

  it("are found by name, with a slice of bits counted from the lowest", () => {
    const shape = (text: string) => {
      const { algorithm, low, width } = chipFunction(text);
      return [algorithm.kind, low, width];
    };
    expect(shape("rtag7/crc32-high")).toEqual(["crc32", 16, 16]);
    expect(shape("rtag7/crc32-high:bits=4-12")).toEqual(["crc32", 20, 9]);
    expect(shape("CRC-16/ARC")).toEqual(["crc16", 0, 16]);
    expect(shape("crc-32/iso-hdlc")).toEqual(["crc32", 0, 32]);
    expect(shape("ideal:bits=10-10")).toEqual(["ideal", 10, 1]);
    expect(shape("crc32/0x741B8CD7:bits=0-31")).toEqual(["custom", 0, 32]);
    expect(customCrc(chipFunction("crc16/0x8bb7"))).toEqual({
      width: 16,
      poly: 0x8bb7,
      init: 0xffff,
      xorout: 0,
      refin: false,
      refout: false,
    });
    expect(customCrc(chipFunction("CRC-32/ISCSI"))).toEqual(findCrc("CRC-32/ISCSI"));
    expect(customCrc(chipFunction("rtag7/crc16-bisync"))).toBeUndefined();
  });

  it.each([
    ["rtag7/xor16:bits=12-11", /"rtag7\/xor16:bits=12-11": rtag7\/xor16 has no such bits/],
    ["rtag7/xor16:bits=0-16", /it has bits 0 to 15/],
    ["ideal:bits=0-32", /it has bits 0 to 31/],
    ["ideal:bits=0-3:bits=0-1", /has no such bits/],
    ["ideal:0-3", /has no such bits/],
    ["ideal:bits=0-3x", /has no such bits/],
    ["xideal", /"xideal" is no function of a chip\nnote: did you mean "ideal"\?/],
    ["rtag7/toString", /is no function of a chip/],
    ["CRC-8/SMBUS", /"CRC-8\/SMBUS" is no function of a chip\n(?!note: did)/],
    [
      "crc16/0x18bb7",
      /the polynomial has 17 bits\nnote: a CRC of 16 bits has 16 below its top term, .*: 0x8bb7/,
    ],
    ["crc16/0x8bb6", /the polynomial is even/],
    ["crc16/0x8bb7g", /is no function of a chip/],
  ])("are refused: %s", (text, message) => {
    const asked: unknown[] = [];
    expect(messagesOf(() => chipFunction(text, (path) => void asked.push(path)))).toMatch(message);
    expect(asked).toEqual([[]]);
  });
});

describe("the name of a calculation", () => {
  const device = {
    program: {
      bmv2: {
        calculations: [
          { name: "a", algo: "crc16_custom" },
          { name: "b", algo: "crc32_custom" },
          { name: "c", algo: "crc16" },
          { name: "d", algo: "crc16_custom" },
        ],
      },
    },
  } as unknown as Parameters<typeof calculationName>[0];
  const parameters = {
    polynomial: 1n,
    initial: 0n,
    finalXor: 0n,
    reflectData: false,
    reflectRemainder: false,
  };
  const nameOf = (calculation: string | number, width: 16 | 32, of = device) =>
    calculationName(of, { kind: "crc", calculation, width, parameters });

  it("is found by the number among those of a width", () => {
    expect([nameOf(0, 16), nameOf(1, 16), nameOf(0, 32), nameOf("given", 16)]).toEqual([
      "a",
      "d",
      "b",
      "given",
    ]);
  });

  it("of a calculation that is not there says which", () => {
    expect(nameOf(2, 16)).toBe("number 2 of 16 bits");
    expect(nameOf(0, 32, { program: undefined })).toBe("number 0 of 32 bits");
  });
});
