import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  Names,
  NamesExhausted,
  type NamesOptions,
} from "../../../src/toolchain/device/index.js";
import { createP4Info } from "../../../src/toolchain/program/index.js";

const translated = (uri: string, annotations: string[] = []) => ({
  annotations,
  representation: {
    case: "translatedType" as const,
    value: { uri, sdnType: { case: "sdnString" as const, value: {} } },
  },
});

const p4info = createP4Info({
  typeInfo: {
    newTypes: {
      vrf_t: translated("", ['@p4runtime_translation_mappings({ { "", 0 }, {"a \\"b\\"", 0x0f}, })']),
      port_id_t: translated("example.org/x"),
      egress_t: translated("p4.org/psa/v1/PortId_String_t"),
      transport_t: translated("example.org/transport"),
      wide_t: {
        representation: {
          case: "translatedType",
          value: { uri: "", sdnType: { case: "sdnBitwidth", value: 32 } },
        },
      },
    },
  },
});

const make = (options: NamesOptions = {}) => new Names(p4info, options);

const codeOf = (task: () => unknown): string => {
  try {
    task();
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
  return "OK";
};

describe("names", () => {
  it("numbers in the order of first use, decimals as themselves", () => {
    const names = make();
    expect(names.number("transport_t", "red")).toBe(1n);
    expect(names.number("transport_t", "3")).toBe(3n);
    expect(names.number("transport_t", "blue")).toBe(2n);
    expect(names.number("transport_t", "green")).toBe(4n);
    expect(names.number("transport_t", "red")).toBe(1n);
    // 1 is red; 01 and +1 are names like others
    expect(names.number("transport_t", "1")).toBe(5n);
    expect(names.number("transport_t", "01")).toBe(6n);
    expect(names.name("transport_t", 9n)).toBe("9");
    expect(names.name("transport_t", 4n)).toBe("green");
    expect(names.name("transport_t", 5n)).toBe("1");
    expect(codeOf(() => names.number("wide_t", "1"))).toBe("INVALID_ARGUMENT");
    expect(codeOf(() => names.number("transport_t", "x".repeat(2000)))).toBe("INVALID_ARGUMENT");
    expect(new Names(undefined).isEmpty).toBe(true);
    expect(names.isEmpty).toBe(false);
  });

  it("takes the pairs of annotations and of the switch's configuration", () => {
    const names = make({
      fixed: { "example.org/transport": { tcp: 6n, big: 512n }, vrf_t: { mgmt: 1n } },
      widths: new Map([["transport_t", 9]]),
      ports: { eth0: 1n },
    });
    expect(names.number("vrf_t", "")).toBe(0n);
    expect(names.number("vrf_t", 'a "b"')).toBe(15n);
    expect(names.number("vrf_t", "new")).toBe(2n);
    expect(names.name("vrf_t", 1n)).toBe("mgmt");
    expect(names.number("transport_t", "tcp")).toBe(6n);
    // 512 has more than 9 bits
    expect(names.number("transport_t", "big")).toBe(1n);
    // ports by the name of the type or of its URI; a part of a word does not count
    expect(names.number("port_id_t", "eth0")).toBe(1n);
    expect(names.number("egress_t", "eth0")).toBe(1n);
    expect(names.number("transport_t", "eth0")).toBe(2n);
    expect(names.portType).toBe("egress_t");
  });

  it("makes up no ports of a switch", () => {
    const names = make({ closedPorts: true, ports: { eth0: 1n }, widths: new Map([["port_id_t", 9]]) });
    expect(names.number("port_id_t", "511")).toBe(511n);
    for (const name of ["eth1", "512", "1", ""])
      expect(codeOf(() => names.number("port_id_t", name))).toBe("INVALID_ARGUMENT");
    expect(names.number("vrf_t", "eth1")).toBe(1n);
  });

  it("finds only what is known where nothing may be made up", () => {
    const names = make();
    expect(codeOf(() => names.known.number("vrf_t", "red"))).toBe("NOT_FOUND");
    names.number("vrf_t", "red");
    expect(names.known.number("vrf_t", "red")).toBe(1n);
    expect(names.known.number("vrf_t", "7")).toBe(7n);
    expect(names.known.name("vrf_t", 1n)).toBe("red");
  });

  it("runs out of numbers, and gives up what is not in use", () => {
    const names = make({ widths: new Map([["vrf_t", 2]]) });
    for (const [i, name] of ["a", "b", "c"].entries())
      expect(names.number("vrf_t", name)).toBe(BigInt(i + 1));
    expect(() => names.number("vrf_t", "d")).toThrow(NamesExhausted);
    names.keep(new Map([["vrf_t", new Set([1n, 3n])]]));
    expect(names.number("vrf_t", "d")).toBe(2n);
    expect(names.number("vrf_t", "c")).toBe(3n);
    expect(names.number("vrf_t", "")).toBe(0n);
    expect(() => names.number("vrf_t", "b")).toThrow(NamesExhausted);
  });

  it("names no number by the decimal of another", () => {
    const names = make();
    names.number("vrf_t", "a");
    expect(names.number("vrf_t", "1")).toBe(2n);
    names.keep(new Map([["vrf_t", new Set([2n])]]));
    expect(names.name("vrf_t", 1n)).toBe("#1");
    expect(names.number("vrf_t", "#1")).toBe(1n);
    expect(names.number("vrf_t", "1")).toBe(2n);
    // a configuration may call ports so, too; and a name may be in the way
    const ports = make({ closedPorts: true, ports: { 1: 2n, "#1": 3n } });
    expect(ports.name("port_id_t", 1n)).toBe("##1");
    expect(ports.number("port_id_t", "##1")).toBe(1n);
    expect(codeOf(() => ports.number("port_id_t", "##2"))).toBe("INVALID_ARGUMENT");
  });

  it("keep within their room, and give it back", () => {
    const long = (i: number): string => `${i}`.padEnd(1024, "x");
    const names = make();
    let count = 0;
    const fill = (): void => {
      for (; ; count++) names.number("vrf_t", long(count));
    };
    expect(fill).toThrow(NamesExhausted);
    expect(count).toBe(4095);
    // reports of packets take none of it, and stay right
    expect(names.name("vrf_t", 77_777n)).toBe("77777");
    expect(() => names.number("vrf_t", long(count))).toThrow(NamesExhausted);
    names.drop("vrf_t", long(7));
    names.drop("vrf_t", "nothing");
    expect(names.has("vrf_t", long(7))).toBe(false);
    expect(names.number("vrf_t", long(count))).toBe(8n);
    names.keep(new Map([["vrf_t", new Set([1n])]]));
    expect(names.number("vrf_t", long(4))).toBe(2n);
    names.drop("vrf_t", "");
    expect(names.has("vrf_t", "")).toBe(true);
    // short ones: their number is what counts
    const told = make();
    for (let i = 1; i <= 1 << 17; i++) told.name("vrf_t", BigInt(i));
    expect(told.number("vrf_t", "red")).toBe(1n << 16n);
  });

  it("takes over the names of an earlier program", () => {
    const before = make();
    before.number("vrf_t", "x");
    before.number("vrf_t", "y");
    const after = make({ fixed: { vrf_t: { z: 1n } } });
    after.adopt(before);
    expect(after.number("vrf_t", "z")).toBe(1n);
    expect(after.number("vrf_t", "y")).toBe(2n);
    expect(after.number("vrf_t", "x")).toBe(3n);
  });

  it("is one to one, whatever is asked in whatever order", () => {
    const name = fc.oneof(
      fc.constantFrom("a", "b", "c", "", "0", "1", "2", "3", "007", "16", "#1", "##1"),
      fc.string(),
    );
    const step = fc.oneof(
      fc.record({ name }),
      fc.record({ number: fc.bigInt({ min: 0n, max: 15n }) }),
      fc.record({ keep: fc.array(fc.bigInt({ min: 0n, max: 15n }), { maxLength: 5 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const names = make({ widths: new Map([["vrf_t", 4]]) });
        let byName = new Map<string, bigint>();
        for (const each of steps) {
          let pair: [string, bigint];
          if ("keep" in each) {
            // 0 and 15 are fixed
            const used = new Set([...each.keep, 0n, 15n]);
            names.keep(new Map([["vrf_t", used]]));
            byName = new Map([...byName].filter(([, number]) => used.has(number)));
            continue;
          }
          if ("number" in each) pair = [names.name("vrf_t", each.number), each.number];
          else if (codeOf(() => names.number("vrf_t", each.name)) !== "OK") continue;
          else pair = [each.name, names.number("vrf_t", each.name)];
          byName = new Map(byName).set(...pair);
          expect(pair[1] < 16n).toBe(true);
          for (const [known, number] of byName) {
            expect(names.number("vrf_t", known)).toBe(number);
            expect(names.name("vrf_t", number)).toBe(known);
          }
        }
        expect(new Set(byName.values()).size).toBe(byName.size);
      }),
      { numRuns: 300 },
    );
  });
});
