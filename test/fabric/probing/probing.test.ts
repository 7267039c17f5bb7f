/** Probes against a switch that the test makes: what is sent, what lost answers do, and what is found of a choice. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, Random, toHex } from "../../../src/base/index.js";
import { addWords, foldSum, type SelectorField, selectorHeaders } from "../../../src/base/packets/index.js";
import {
  controlProbeBits,
  DROPPED,
  type ProbeHeader,
  Prober,
  probeChoice,
  REFERENCE_SOURCE_BITS,
  referenceProbe,
} from "../../../src/fabric/probing/index.js";
import type { ControllerPacket, Device, DeviceEvent } from "../../../src/toolchain/device/index.js";
import type { P4InfoIndex } from "../../../src/toolchain/program/index.js";

interface Headers {
  packet_out?: readonly string[];
  packet_in?: readonly string[];
}
const ANSWERS: Headers = { packet_out: ["id"], packet_in: ["id", "port"] };

const reference: ProbeHeader = {
  version: 4,
  src: 0x0a000001n,
  dst: 0x0a000102n,
  protocol: 6,
  srcPort: 0x1234,
  dstPort: 80,
  selector: 5,
};

/** Source port and DSCP of an IPv4 frame without a tag. */
const fieldsOf = (frame: Uint8Array) => ({ srcPort: (frame[34]! << 8) | frame[35]!, dscp: frame[15]! >> 2 });

/** Answers each packet-out by `port`, at once or when {@link FakeSwitch.answer} is called; undefined: never. */
class FakeSwitch {
  readonly sent: ControllerPacket[] = [];
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  held: (() => void)[] | undefined;

  constructor(
    readonly port: (frame: Uint8Array, count: number) => number | undefined,
    readonly headers: Headers = ANSWERS,
  ) {}

  get device(): Device {
    const byName = (name: string) => {
      const fields = this.headers[name as keyof Headers];
      return fields && { fields: { list: fields.map((field) => ({ name: field })) } };
    };
    const own: Partial<Device> = {
      name: "s1",
      index: { controllerHeaders: { byName } } as unknown as P4InfoIndex,
      packetOut: async (packet) => this.#hear(packet),
      watch: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    return own as Device;
  }

  get watchers(): number {
    return this.#listeners.size;
  }

  tell(event: DeviceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #hear(packet: ControllerPacket): void {
    const port = this.port(packet.payload, this.sent.push(packet));
    if (port === undefined) return;
    const metadata = { id: packet.metadata["id"]!, port: BigInt(port) };
    const answer = () => this.tell({ kind: "packetIn", packet: { payload: packet.payload, metadata } });
    if (this.held === undefined) answer();
    else this.held.push(answer);
  }
}

/** Sleeps are told, and over when promises have run. */
function proberOf(own: FakeSwitch, field: SelectorField = "dscp") {
  const sleeps: number[] = [];
  const sleep = async (ns: number) => {
    sleeps.push(ns);
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return { prober: new Prober(own.device, { field, sleep }), sleeps };
}

const probes = (count: number) => Array.from({ length: count }, (_, srcPort) => ({ ...reference, srcPort }));

describe("the answers to probes", () => {
  it("are in the order of the headers, whatever order they come in; eight are on their way at once", async () => {
    const own = new FakeSwitch((frame) => fieldsOf(frame).srcPort + 100);
    own.held = [];
    const { prober } = proberOf(own);
    let most = 0;
    const turn = setImmediate(function answer() {
      most = Math.max(most, own.held!.length);
      for (const one of own.held!.splice(0).reverse()) one();
      if (own.sent.length < 20) setImmediate(answer);
    });
    expect(await prober.ports(probes(20))).toEqual(Array.from({ length: 20 }, (_, i) => i + 100));
    clearImmediate(turn);
    expect([most, own.sent.length]).toEqual([8, 20]);
    expect(new Set(own.sent.map(({ metadata }) => metadata["id"])).size).toBe(20);
  });

  it("are 511 for packets that the program drops", async () => {
    const { prober } = proberOf(new FakeSwitch((frame) => (fieldsOf(frame).srcPort === 1 ? DROPPED : 3)));
    expect(await prober.ports(probes(3))).toEqual([3, 511, 3]);
  });

  it("that are missing after two seconds are asked for again, three times in all", async () => {
    // The first two of five are lost at first, then one of them.
    const own = new FakeSwitch((_, count) => (count === 1 || count === 2 || count === 6 ? undefined : 9));
    const { prober } = proberOf(own);
    expect(await prober.ports(probes(5))).toEqual([9, 9, 9, 9, 9]);
    expect(own.sent.map(({ payload }) => fieldsOf(payload).srcPort)).toEqual([0, 1, 2, 3, 4, 0, 1, 0]);
  });

  it("wait no longer than two seconds", async () => {
    const { prober, sleeps } = proberOf(new FakeSwitch((_, count) => (count <= 1 ? undefined : 9)));
    await prober.ports(probes(1));
    expect(sleeps).toEqual([2e9, 2e9]);
  });

  it("that never come end the probing, and say how many", async () => {
    const own = new FakeSwitch((frame) => (fieldsOf(frame).srcPort < 2 ? undefined : 9));
    const { prober } = proberOf(own);
    const error = await prober.ports(probes(5)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DiagnosticError);
    expect((error as DiagnosticError).diagnostics[0]).toMatchObject({
      code: "P45307",
      message: "s1: 2 of 5 probes had no answer after 3 attempts",
    });
    expect(own.sent).toHaveLength(5 + 2 + 2);
  });

  it("that come too late, or are no answers, are not taken for others", async () => {
    const own = new FakeSwitch((_, count) => (count === 1 ? undefined : 9));
    const { prober } = proberOf(own);
    expect(await prober.ports(probes(1))).toEqual([9]);
    const packetIn = (metadata: Record<string, bigint>): DeviceEvent => ({
      kind: "packetIn",
      packet: { payload: new Uint8Array(0), metadata },
    });
    own.tell(packetIn({ id: 0n, port: 7n }));
    own.tell(packetIn({ id: 2n }));
    own.tell(packetIn({ port: 2n }));
    own.tell({ kind: "portState", port: 1, up: true });
    expect(await prober.ports(probes(2))).toEqual([9, 9]);
  });

  it("have ids of 16 bits", async () => {
    const own = new FakeSwitch(() => 1);
    const { prober } = proberOf(own);
    await prober.ports(new Array<ProbeHeader>(2 ** 16 + 1).fill(reference));
    const ids = own.sent.map(({ metadata }) => Number(metadata["id"]));
    expect([ids[0], ids.at(-2), ids.at(-1)]).toEqual([0, 65535, 0]);
  });

  it("are not heard any more after the end", () => {
    const own = new FakeSwitch(() => 1);
    const { prober } = proberOf(own);
    expect(own.watchers).toBe(1);
    prober.close();
    expect(own.watchers).toBe(0);
  });

  it.each<[string, Headers]>([
    ["packet-outs", { packet_in: ["id", "port"] }],
    ["an id in packet-outs", { packet_out: ["port"], packet_in: ["id", "port"] }],
    ["packet-ins", { packet_out: ["id"] }],
    ["an id in packet-ins", { packet_out: ["id"], packet_in: ["port"] }],
    ["a port in packet-ins", { packet_out: ["id"], packet_in: ["id"] }],
  ])("need a program with %s", (_, headers) => {
    expect(() => proberOf(new FakeSwitch(() => 1, headers))).toThrow(
      "the program of s1 does not answer probes",
    );
  });
});

describe("the packet of a probe", () => {
  const frameOf = async (header: ProbeHeader, field: SelectorField) => {
    const own = new FakeSwitch(() => 1);
    await proberOf(own, field).prober.ports([header]);
    return own.sent[0]!.payload;
  };

  it("over IPv4 with a DSCP has these bytes", async () => {
    const frame = await frameOf(reference, "dscp");
    expect(toHex(frame)).toBe(
      "000000000000" +
        "000000000000" +
        "0800" +
        "45140028" +
        "00000000" +
        "4006" +
        toHex(frame.subarray(24, 26)) +
        "0a000001" +
        "0a000102" +
        "12340050" +
        "0000000000000000" +
        "50100000" +
        "00000000",
    );
    expect(foldSum(addWords(frame, 14, 34, 0))).toBe(0xffff);
  });

  it("over IPv6 with a flow label has these bytes", async () => {
    const header: ProbeHeader = {
      ...reference,
      version: 6,
      protocol: 17,
      selector: 0xabcde,
      src: 1n << 120n,
      dst: 2n,
    };
    expect(toHex(await frameOf(header, "flow_label"))).toBe(
      "000000000000" +
        "000000000000" +
        "86dd" +
        "600abcde" +
        "0014" +
        "1140" +
        "01000000000000000000000000000000" +
        "00000000000000000000000000000002" +
        "12340050" +
        "00".repeat(16),
    );
  });

  it("with a VLAN has a tag, with a TTL the hop limit", async () => {
    const tagged = await frameOf({ ...reference, selector: 0x123 }, "vlan");
    expect(toHex(tagged.subarray(12, 20))).toBe("8100012308004500");
    expect(tagged).toHaveLength(14 + 4 + 20 + 20);
    const four = await frameOf({ ...reference, selector: 7 }, "ttl");
    const six = await frameOf({ ...reference, version: 6, selector: 7 }, "ttl");
    const { ttl } = selectorHeaders("ttl", 7);
    expect([four[22], four[15], six[21]]).toEqual([ttl, 0, ttl]);
    expect((await frameOf(reference, "dscp"))[22]).toBe(64);
  });

  it("that others are compared with comes from 10.0.0.1, whose last 24 bits may change", () => {
    expect(referenceProbe(9n)).toEqual({
      version: 4,
      src: 0x0a000001n,
      dst: 9n,
      protocol: 6,
      srcPort: 0,
      dstPort: 0,
      selector: 0,
    });
    expect(REFERENCE_SOURCE_BITS).toBe(24);
  });
});

describe("the choice of a switch", () => {
  const PORTS = [10, 20, 30, 40];
  const bits = controlProbeBits(3, "dscp", 2);
  const probe = { reference, sourceBits: 8, bits, tests: 60 };
  const random = () => new Random("probe");

  it("is probed by the low bits of the source port and of the field", () => {
    expect(bits.map(({ name }) => name)).toEqual([
      "source port bit 0",
      "source port bit 1",
      "source port bit 2",
      "dscp bit 0",
      "dscp bit 1",
    ]);
    expect(
      bits.map((bit) => bit.flip(reference)).map(({ srcPort, selector }) => [srcPort, selector]),
    ).toEqual([
      [0x1235, 5],
      [0x1236, 5],
      [0x1230, 5],
      [0x1234, 4],
      [0x1234, 7],
    ]);
  });

  /** Bits of the port's index: parities of the header. */
  const linear = (frame: Uint8Array) => {
    const { srcPort, dscp } = fieldsOf(frame);
    return ((srcPort & 1) << 1) ^ ((srcPort >> 2) & 1) ^ (dscp & 3);
  };

  it.each([true, false])(
    "that is linear has an offset for each bit; its ports are given: %s",
    async (given) => {
      const own = new FakeSwitch((frame) => PORTS[linear(frame)]!);
      const { prober } = proberOf(own);
      const found = await probeChoice(prober, {
        ...probe,
        random: random(),
        ...(given ? { ports: PORTS } : {}),
      });
      expect(found).toEqual({ ports: PORTS, offsets: [2, 0, 1, 1, 2], tests: 60 });
      expect(own.sent).toHaveLength((given ? 0 : 513) + 6 + 120);
      // Addresses change in their last bits alone.
      const sources = new Set(own.sent.map(({ payload }) => toHex(payload.subarray(26, 30))));
      expect(sources.size).toBeGreaterThan(30);
      for (const source of sources) expect(source).toMatch(/^0a0000/);
    },
  );

  it("that is not linear is told by two headers which the same bits move differently", async () => {
    // A product of two bits.
    const own = new FakeSwitch((frame) => {
      const { srcPort, dscp } = fieldsOf(frame);
      return PORTS[srcPort & dscp & 1]!;
    });
    const found = await probeChoice(proberOf(own).prober, { ...probe, ports: PORTS, random: random() });
    const { header, changed, bits: names, got, expected } = found.counterexample!;
    const choice = ({ srcPort, selector }: ProbeHeader) => srcPort & selector & 1;
    expect(got).toBe(choice(changed));
    const moved = names.reduce(
      (sum, name) => sum ^ found.offsets[bits.findIndex((bit) => bit.name === name)]!,
      0,
    );
    expect(expected).toBe(choice(header) ^ moved);
    expect(got).not.toBe(expected);
    expect(names.reduce((made, name) => bits.find((bit) => bit.name === name)!.flip(made), header)).toEqual(
      changed,
    );
    expect(found.tests).toBeGreaterThan(0);
    expect(found.tests).toBeLessThan(60);
  });

  it("that leads to a port outside of the group is told by that port", async () => {
    const early = new FakeSwitch((frame) => (fieldsOf(frame).srcPort === 0x1236 ? 77 : 10));
    const first = await probeChoice(proberOf(early).prober, { ...probe, ports: PORTS, random: random() });
    expect(first).toMatchObject({ stray: 77, tests: 0 });
    const dropped = new FakeSwitch((frame) => (fieldsOf(frame).srcPort >> 12 === 1 ? 10 : DROPPED));
    const late = await probeChoice(proberOf(dropped).prober, { ...probe, ports: PORTS, random: random() });
    expect(late.stray).toBe(DROPPED);
    expect(late.counterexample).toBeUndefined();
    expect(late.tests).toBeLessThan(60);
  });

  it("has no dropped packet among the ports that are found", async () => {
    const own = new FakeSwitch((frame) => (fieldsOf(frame).srcPort % 3 === 0 ? DROPPED : 10));
    const found = await probeChoice(proberOf(own).prober, { ...probe, random: random() });
    expect(found.ports).toEqual([10]);
  });
});
