/**
 * The ECMP of P4TE's authors (upstream_routing.p4 at commit 815797e): CRC16 modulo 4 over addresses, protocol, ports in lockstep and the number of
 * the flowlet. Computed for all pairs of their stride pattern, without a simulation.
 */
import { expect, it } from "vitest";
import { crc, pack } from "../crc.js";

const SPINES = 4;
const PREFIX = 0x2001_0001_0001_0001n << 64n;

/** The spine of a packet of the n-th flow of host `h` below leaf `l` to the host `h + 1` below leaf `l + 1`. */
function spineOf(l: number, h: number, n: number, flowlet: number): number {
  const address = (leaf: number, host: number) => PREFIX | BigInt(((leaf % 4) << 16) | (host % 4));
  const fields: [bigint, number][] = [
    [address(l + 1, h + 1), 128],
    [address(l, h), 128],
    [6n, 8],
    [BigInt(32000 + n), 16],
    [BigInt(42000 + n), 16],
    [BigInt(flowlet), 16],
  ];
  return crc("crc16", pack(fields.map(([value, width]) => ({ value, width })))) % SPINES;
}

/** Links from spines to leaves that carry data of the first 15 flows of each host. */
function usedLinks(flowlets: readonly number[]): Set<string> {
  const used = new Set<string>();
  for (let l = 0; l < 4; l++)
    for (let h = 0; h < 4; h++)
      for (let n = 1; n <= 15; n++)
        for (const flowlet of flowlets) used.add(`${spineOf(l, h, n, flowlet)} to ${(l + 1) % 4}`);
  return used;
}

it("leaves eight of 16 links from spines to leaves idle for the first 1024 flowlets of each flow", () => {
  expect(
    usedLinks([...Array(1024).keys()].filter((flowlet) => flowlet < 32 || flowlet % 31 === 0)).size,
  ).toBe(8);
});

it("uses all links from flowlet 1024 on", () => {
  expect(usedLinks([0, 1, 1024, 1025]).size).toBe(16);
});
