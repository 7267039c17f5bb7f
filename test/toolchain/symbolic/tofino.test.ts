/** Parts of a Tofino's execution: math units as terms, metadata in front of packets as the switch puts it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Evaluator, Terms } from "../../../src/toolchain/solver/index.js";
import { INTRINSIC, mathUnit } from "../../../src/toolchain/switch/index.js";
import { putEgress, putIngress } from "../../../src/toolchain/switch/state/intrinsic.js";
import { egressFront, ingressFront } from "../../../src/toolchain/symbolic/tofino-front.js";
import { mathTerm } from "../../../src/toolchain/symbolic/tofino-primitives.js";

const table = Array.from({ length: 16 }, (_, i) => 255 - 13 * i);

it.each([2, 4, 1, -2, -4, -1])(
  "a math unit of %d half powers gives what the switch computes",
  (halfPowers) => {
    const terms = new Terms();
    const unit = (x: number) => mathUnit(x, halfPowers, -3, table);
    const term = mathTerm(terms, terms.variable("x", 32), halfPowers, unit);
    fc.assert(
      fc.property(fc.nat(32), fc.nat(0xffff_ffff), (shift, some) => {
        const x = shift === 32 ? 0 : some >>> shift;
        const value = new Evaluator(new Map([["x", BigInt(x)]])).valueOf(term);
        expect(Number(value) | 0).toBe(unit(x));
      }),
    );
  },
);

const bytesOf = (value: bigint, count: number) =>
  Uint8Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * (count - 1 - i))) & 255n));

it.each(["tna", "t2na"] as const)("the metadata of %s in front of a packet is that of the switch", (name) => {
  fc.assert(
    fc.property(
      fc.record({
        port: fc.nat(511),
        rid: fc.nat(65535),
        queue: fc.nat(127),
        cos: fc.nat(7),
        length: fc.nat(65535),
      }),
      ...([fc.nat(2 ** 47), fc.boolean(), fc.uint8Array({ maxLength: 30 })] as const),
      ({ port, rid, queue, cos, length }, time, flag, data) => {
        const terms = new Terms();
        const number = (value: number, width: number) => terms.constant(value, width);
        const { ingressBytes, egressBytes } = INTRINSIC[name];
        const there = new Uint8Array(Math.max(ingressBytes, egressBytes));
        putIngress(there, INTRINSIC[name], { port, nanoseconds: time, isResubmitted: flag, front: data });
        const behind = terms.concat(...[...data].map((byte) => number(byte, 8)));
        const front = { port: number(port, 9), time: number(time, 48), isResubmitted: flag, behind };
        const ingress = ingressFront(terms, name, front);
        expect(bytesOf(ingress.value, ingress.width >> 3)).toEqual(there.slice(0, ingressBytes));
        const leaving = { port, rid, isFirst: flag, queue, serviceClass: cos, length };
        putEgress(there, INTRINSIC[name], {
          ...leaving,
          depthBefore: 0,
          depthAfter: 0,
          arrived: time,
          waited: 0,
        });
        const wishes = {
          ...{ rid: number(rid, 16), isFirst: flag, queue: number(queue, 8), serviceClass: number(cos, 8) },
          length: number(length, 16),
        };
        const egress = egressFront(terms, name, { port: number(port, 9), time: number(time, 48), wishes });
        expect(bytesOf(egress.value, egress.width >> 3)).toEqual(there.slice(0, egressBytes));
      },
    ),
  );
});
