import { create } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { electionIdMessage, electionIdOf } from "../../../src/toolchain/p4runtime/election.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  RoleSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { Arbitration, type Controller } from "../../../src/toolchain/p4runtime/server/arbitration.js";
import { codeName } from "../../../src/toolchain/p4runtime/status.js";

class Fake implements Controller {
  readonly heard: [code: string, electionId: bigint | undefined][] = [];
  ended: string | undefined;
  reason: string | undefined;
  last: MasterArbitrationUpdate | undefined;

  arbitrate(update: MasterArbitrationUpdate): void {
    this.last = update;
    this.heard.push([codeName(update.status!.code), electionIdOf(update.electionId)]);
  }

  end(code: string, reason: string): void {
    this.ended = code;
    this.reason = reason;
  }

  /** Messages received since the last call. */
  news(): [string, bigint | undefined][] {
    return this.heard.splice(0);
  }
}

function claim(electionId?: bigint, role?: string, deviceId = 1n): MasterArbitrationUpdate {
  const update = create(MasterArbitrationUpdateSchema, { deviceId });
  if (electionId !== undefined) update.electionId = electionIdMessage(electionId);
  if (role !== undefined) update.role = create(RoleSchema, { name: role });
  return update;
}

function setup(max = 8) {
  return { arbitration: new Arbitration(1n, max), a: new Fake(), b: new Fake(), c: new Fake() };
}

describe("arbitration", () => {
  it("makes the highest election id primary and informs all controllers", () => {
    const { arbitration, a, b, c } = setup();
    arbitration.update(a, claim(10n));
    expect(a.news()).toEqual([["OK", 10n]]);
    arbitration.update(b, claim(5n));
    expect(b.news()).toEqual([["ALREADY_EXISTS", 10n]]);
    expect(a.news()).toEqual([]);
    arbitration.update(c, claim(20n));
    expect(a.news()).toEqual([["ALREADY_EXISTS", 20n]]);
    expect(b.news()).toEqual([["ALREADY_EXISTS", 20n]]);
    expect(c.news()).toEqual([["OK", 20n]]);
    expect(arbitration.isPrimary(c)).toBe(true);
    expect(arbitration.isPrimary(a)).toBe(false);
  });

  it("has no primary after one has left, until its election id is claimed or passed", () => {
    const { arbitration, a, b, c } = setup();
    arbitration.update(a, claim(10n));
    arbitration.update(b, claim(9n));
    b.news();
    arbitration.remove(a);
    expect(b.news()).toEqual([["NOT_FOUND", 10n]]);
    expect(arbitration.beginWrite("", 9n)).toBeUndefined();
    expect(arbitration.beginWrite("", 10n)).toBeUndefined();
    arbitration.update(b, claim(9n));
    expect(b.news()).toEqual([["NOT_FOUND", 10n]]);
    arbitration.update(c, claim(10n));
    expect(c.news()).toEqual([["OK", 10n]]);
    expect(b.news()).toEqual([["ALREADY_EXISTS", 10n]]);
  });

  it("lets a primary step down, and informs all controllers", () => {
    const { arbitration, a, b } = setup();
    arbitration.update(a, claim(10n));
    arbitration.update(b, claim(1n));
    a.news();
    b.news();
    arbitration.update(a, claim(3n));
    expect(a.news()).toEqual([["NOT_FOUND", 10n]]);
    expect(b.news()).toEqual([["NOT_FOUND", 10n]]);
    arbitration.update(a, claim(10n));
    expect(a.news()).toEqual([["OK", 10n]]);
  });

  it("informs all controllers when the primary repeats its claim", () => {
    const { arbitration, a, b } = setup();
    arbitration.update(a, claim(10n));
    arbitration.update(b, claim(1n));
    a.news();
    b.news();
    arbitration.update(a, claim(10n));
    expect(a.news()).toEqual([["OK", 10n]]);
    expect(b.news()).toEqual([["ALREADY_EXISTS", 10n]]);
  });

  it("never makes a controller without election id primary; 0 is an id", () => {
    const { arbitration, a, b } = setup();
    arbitration.update(a, claim());
    expect(a.news()).toEqual([["NOT_FOUND", undefined]]);
    arbitration.update(b, claim(0n));
    expect(b.news()).toEqual([["OK", 0n]]);
    expect(a.news()).toEqual([["ALREADY_EXISTS", 0n]]);
    expect(arbitration.beginWrite("", undefined)).toBeUndefined();
  });

  it("allows many controllers without election id, but an id only once", () => {
    const { arbitration, a, b, c } = setup();
    arbitration.update(a, claim());
    arbitration.update(b, claim());
    expect([a.ended, b.ended]).toEqual([undefined, undefined]);
    arbitration.update(a, claim(7n));
    arbitration.update(c, claim(7n));
    expect(c.ended).toBe("INVALID_ARGUMENT");
    arbitration.update(b, claim(7n));
    expect(b.ended).toBe("INVALID_ARGUMENT");
    expect(arbitration.isPrimary(a)).toBe(true);
  });

  it("keeps roles apart", () => {
    const { arbitration, a, b, c } = setup();
    arbitration.update(a, claim(10n));
    arbitration.update(b, claim(10n, "telemetry"));
    expect(b.news()).toEqual([["OK", 10n]]);
    expect(b.last!.role!.name).toBe("telemetry");
    expect(a.last!.role).toBeUndefined();
    arbitration.update(c, claim(3n, "telemetry"));
    expect(c.news()).toEqual([["ALREADY_EXISTS", 10n]]);
    expect(arbitration.knowsRole("telemetry")).toBe(true);
    expect(arbitration.knowsRole("other")).toBe(false);
    expect(arbitration.primaries().map(({ controller }) => controller)).toEqual([a, b]);
  });

  it("ends streams that break the rules", () => {
    const { arbitration, a, b, c } = setup(2);
    arbitration.update(a, claim(1n, undefined, 2n));
    expect(a.ended).toBe("NOT_FOUND");
    arbitration.update(b, claim(1n));
    arbitration.update(b, claim(1n, undefined, 2n));
    expect(b.ended).toBe("FAILED_PRECONDITION");
    arbitration.update(c, claim(1n));
    arbitration.update(c, claim(1n, "x"));
    expect(c.ended).toBe("FAILED_PRECONDITION");
    const withConfig = claim(1n, "x");
    withConfig.role!.config = anyPack(RoleSchema, create(RoleSchema));
    const d = new Fake();
    arbitration.update(d, withConfig);
    expect(d.ended).toBe("INVALID_ARGUMENT");
    const crowd = [1n, 2n, 3n].map((id) => {
      const fake = new Fake();
      arbitration.update(fake, claim(id));
      return fake.ended;
    });
    expect(crowd).toEqual([undefined, undefined, "RESOURCE_EXHAUSTED"]);
  });

  it("bounds the roles that it remembers, and the length of their names", () => {
    const { arbitration, a } = setup();
    arbitration.update(a, claim(1n, "x".repeat(2000)));
    expect([a.ended, a.reason]).toEqual([
      "INVALID_ARGUMENT",
      expect.stringMatching("longer than 1024 characters"),
    ]);
    for (let i = 0; i < 1023; i++) {
      const controller = new Fake();
      arbitration.update(controller, claim(1n, `role ${i}`));
      arbitration.remove(controller);
      expect(controller.ended).toBeUndefined();
    }
    // the default role is the 1,024th; the roles stay although their controllers are gone
    const late = new Fake();
    arbitration.update(late, claim(1n, "one more"));
    expect([late.ended, late.reason]).toEqual([
      "RESOURCE_EXHAUSTED",
      expect.stringMatching("there are 1024 roles already"),
    ]);
    const known = new Fake();
    arbitration.update(known, claim(2n, "role 7"));
    expect(known.news()).toEqual([["OK", 2n]]);
  });

  it("waits for the writes of the former primary before the new one may write", () => {
    const { arbitration, a, b } = setup();
    arbitration.update(a, claim(1n));
    const endFirst = arbitration.beginWrite("", 1n)!;
    const endSecond = arbitration.beginWrite("", 1n)!;
    a.news();
    arbitration.update(b, claim(2n));
    expect(a.news()).toEqual([["ALREADY_EXISTS", 2n]]);
    expect(b.news()).toEqual([]);
    expect(arbitration.beginWrite("", 1n)).toBeUndefined();
    expect(arbitration.beginWrite("", 2n)).toBeUndefined();
    endFirst();
    expect(b.news()).toEqual([]);
    endSecond();
    expect(b.news()).toEqual([["OK", 2n]]);
    expect(arbitration.beginWrite("", 2n)).toBeDefined();
  });

  it("forgets a new primary that leaves while it waits", () => {
    const { arbitration, a, b } = setup();
    arbitration.update(a, claim(1n));
    const end = arbitration.beginWrite("", 1n)!;
    arbitration.update(b, claim(2n));
    a.news();
    arbitration.remove(b);
    expect(a.news()).toEqual([["NOT_FOUND", 2n]]);
    end();
    expect(b.news()).toEqual([]);
    expect(arbitration.primaries()).toEqual([]);
  });

  it("never has two primaries of a role, and only one with the highest id seen", () => {
    const step = fc.record({
      who: fc.nat(4),
      what: fc.constantFrom("claim", "unset", "leave"),
      id: fc.bigInt(0n, 6n),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const arbitration = new Arbitration(1n, 8);
        let fakes = Array.from({ length: 5 }, () => new Fake());
        let highest = -1n;
        for (const { who, what, id } of steps) {
          const fake = fakes[who]!;
          if (what === "leave") arbitration.remove(fake);
          else arbitration.update(fake, claim(what === "unset" ? undefined : id));
          if (what === "claim" && fake.ended === undefined && id > highest) highest = id;
          fakes = fakes.map((f) => (f.ended === undefined ? f : new Fake()));
          const primaries = fakes.filter((f) => arbitration.isPrimary(f));
          expect(primaries.length).toBeLessThanOrEqual(1);
          expect(arbitration.primaries().map(({ controller }) => controller)).toEqual(primaries);
          if (primaries.length === 1) {
            expect(primaries[0]!.heard.at(-1)).toEqual(["OK", highest]);
            expect(arbitration.beginWrite("", highest)).toBeDefined();
          }
        }
      }),
    );
  });

  it("keeps all 128 bits of an election id", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 128n) - 1n), (id) => {
        expect(electionIdOf(electionIdMessage(id))).toBe(id);
      }),
    );
  });
});
