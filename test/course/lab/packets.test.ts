/** The packet builder: the defaults of fields, and checksums that receivers accept. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { presets } from "../../../pages/lab/panels/send-presets.js";
import { layOut } from "../../../src/course/lab/index.js";
import { folderProject, TestLab } from "./wall.js";

const RING = folderProject("examples/exercise");

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** The ones' complement sum of 16-bit words (RFC 1071), an odd byte as the high half of a word. */
function onesSum(bytes: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += bytes[i]! * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 65_536);
  return sum;
}

it("gives UDP and TCP over IPv4 checksums that a receiver accepts, for any payload", async () => {
  const lab = await TestLab.open(RING);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("udp", "tcp"),
      fc.uint8Array({ minLength: 0, maxLength: 70 }),
      fc.integer({ min: 1, max: 65_535 }),
      async (transport, payload, port) => {
        const hex = [...payload].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        const { hex: frame } = await lab.ask({
          op: "packet.build",
          from: { host: "h1" },
          packet: {
            layers: [
              { header: "ethernet" },
              { header: "ipv4", fields: { dst: "10.0.3.3" } },
              { header: transport, fields: { dst: port } },
            ],
            payload: { hex },
          },
        });
        const bytes = [...bytesOf(frame)];
        const [header, segment] = [bytes.slice(14, 34), bytes.slice(34)];
        expect(segment.length).toBe((transport === "udp" ? 8 : 20) + payload.length);
        expect(header[2]! * 256 + header[3]!).toBe(20 + segment.length);
        expect(onesSum(header)).toBe(0xffff);
        const pseudo = [...header.slice(12, 20), 0, header[9]!, segment.length >> 8, segment.length & 255];
        expect(onesSum([...pseudo, ...segment])).toBe(0xffff);
      },
    ),
    { numRuns: 40 },
  );
});

it("builds the ready-made packets of the page, and the same packets from their bytes", async () => {
  const lab = await TestLab.open(RING);
  const view = await lab.ask({ op: "describe" });
  const from = { host: "h1" };
  for (const { title, layers, payload } of presets(view, "h1")) {
    const packet = { layers: [...layers], payload: { text: payload } };
    const built = await lab.ask({ op: "packet.build", from, packet });
    expect(
      built.layers.map(({ header }) => header),
      title,
    ).toEqual(layers.map(({ header }) => header));
    for (const [i, { fields }] of layers.entries())
      for (const [name, text] of Object.entries(fields))
        expect(built.layers[i]!.fields[name], `${title}: ${name}`).toBe(
          /^0x/.test(text) ? String(Number(text)) : text,
        );
    expect(await lab.ask({ op: "packet.build", from, packet: { hex: built.hex } }), title).toEqual(built);
  }
});

it("reads an IPv4 header with length 0 and the protocol IPv4 only once", async () => {
  const lab = await TestLab.open(RING);
  // version 4, length 0, protocol 4
  const hex = `${"02".repeat(12)}0800${`40000014${"00".repeat(5)}04${"00".repeat(10)}`}`;
  const { layers } = await lab.ask({ op: "packet.build", from: { host: "h1" }, packet: { hex } });
  expect(layers.map(({ header, at }) => [header, at])).toEqual([
    ["ethernet", 0],
    ["ipv4", 14],
  ]);
});

it("reads what follows an IPv4 header with options at its place", async () => {
  const lab = await TestLab.open(RING);
  // 24 bytes of header, protocol UDP; the option is four times "no operation"
  const ipv4 = `46000020${"00".repeat(4)}4011${"00".repeat(10)}01010101`;
  const hex = `${"02".repeat(12)}0800${ipv4}1234005000080000`;
  const { layers } = await lab.ask({ op: "packet.build", from: { host: "h1" }, packet: { hex } });
  expect(layers.map(({ header, at }) => [header, at])).toEqual([
    ["ethernet", 0],
    ["ipv4", 14],
    ["udp", 38],
  ]);
  expect(layers[2]!.fields["dst"]).toBe("80");
});

it("reports an unknown header or field, and a wrong value", async () => {
  const lab = await TestLab.open(RING);
  const build = (header: string, fields: Record<string, string>) =>
    lab.ask({ op: "packet.build", from: { host: "h1" }, packet: { layers: [{ header, fields }] } });
  await expect(build("ipv5", {})).rejects.toThrow("there is no header ipv5");
  await expect(build("udp", { source: "1" })).rejects.toThrow("header udp has no field source");
  await expect(build("ipv4", { ttl: "256" })).rejects.toThrow("field ttl of ipv4");
  await expect(build("udp", {})).rejects.toThrow("the packet has 8 bytes");
});

it("gives each node of a network its own place, inside the picture", () => {
  for (const n of [1, 2, 7, 40]) {
    const names = Array.from({ length: n }, (_, i) => `s${i + 1}`);
    const links = names
      .slice(1)
      .map((name, i) => ({ a: { node: names[i]!, port: 2 }, b: { node: name, port: 1 } }));
    const places = layOut({ hosts: [], switches: names.map((name) => ({ name })), links });
    expect([...places.keys()].sort()).toEqual([...names].sort());
    for (const { x, y } of places.values())
      expect(x >= 0 && x <= 1 && y >= 0 && y <= 1, `${x} ${y}`).toBe(true);
    expect(new Set([...places.values()].map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size).toBe(n);
  }
});
