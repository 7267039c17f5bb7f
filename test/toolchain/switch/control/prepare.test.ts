/** A program that is prepared beside the running one, and changed over to at once. */
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  type DeviceEvent,
  type ReadQuery,
  type Update,
} from "../../../../src/toolchain/device/index.js";
import { p4infoOf } from "../../control/start.js";
import { ManualClock, startUnconfigured } from "../golden.js";

const ROUTES: ReadQuery = { kind: "tableEntry", table: "TheIngress.routes4" };

const route = (value: bigint): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table: "TheIngress.routes4",
    match: [{ kind: "lpm", field: "hdr.ipv4.dst", value, prefixLength: 32 }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.route", params: { next_hop: 1n } },
  },
});

function start() {
  const { device } = startUnconfigured("l3", p4infoOf("l3"));
  device.apply([route(1n), route(2n)]);
  return { device, program: device.program! };
}

describe("a prepared program", () => {
  it("has the state after loading, and one of its own from then on", async () => {
    const { device, program } = start();
    const prepared = await device.prepare(program);
    expect(await prepared.read([ROUTES])).toEqual([]);
    await prepared.write([route(3n)]);
    expect(device.query([ROUTES])).toHaveLength(2);
    expect(await prepared.read([ROUTES])).toHaveLength(1);
    const expected = await prepared.read([ROUTES]);
    prepared.commit();
    expect(device.query([ROUTES])).toEqual(expected);
    expect(device.program).toBe(program);
  });

  it("leaves everything as it was when it is given up, or an update is refused", async () => {
    const { device, program } = start();
    const before = device.query([ROUTES]);
    const prepared = await device.prepare(program);
    const failure = await prepared.write([route(3n), route(3n), route(4n)]).catch((error) => error);
    expect(failure).toBeInstanceOf(DeviceError);
    expect(failure.updates.map(({ code }: { code: string }) => code)).toEqual(["OK", "ALREADY_EXISTS", "OK"]);
    prepared.discard();
    expect(device.query([ROUTES])).toEqual(before);
  });

  it("is refused when it cannot run", async () => {
    const { device, program } = start();
    const bmv2 = structuredClone(program.bmv2);
    bmv2.register_arrays.push({ name: "huge", id: 99, size: 2 ** 30, bitwidth: 64 });
    await expect(device.prepare({ ...program, bmv2 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(device.query([ROUTES])).toHaveLength(2);
  });

  it("gives turns between updates and entities", async () => {
    const { device, program } = start();
    const prepared = await device.prepare(program);
    let turns = 0;
    const pace = () => {
      turns++;
      return Promise.resolve();
    };
    await prepared.write([route(3n), route(4n), route(5n)], pace);
    expect(turns).toBeGreaterThanOrEqual(3);
    await prepared.read([ROUTES], pace);
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it("reports idle entries only when it runs", async () => {
    const clock = new ManualClock();
    const { device: plain } = startUnconfigured("l3", p4infoOf("l3"), { clock });
    const bmv2 = structuredClone(plain.program!.bmv2);
    for (const { tables } of bmv2.pipelines) for (const table of tables) table.support_timeout = true;
    await plain.load({ ...plain.program!, bmv2 });
    const events: DeviceEvent[] = [];
    plain.watch((event) => events.push(event));
    const timed: Update = {
      type: "insert",
      entity: { ...route(1n).entity, idleTimeoutNs: 1_000_000n } as Update["entity"],
    };
    const prepared = await plain.prepare(plain.program!);
    await prepared.write([timed]);
    clock.advance(5000);
    expect(events).toEqual([]);
    prepared.commit();
    expect(events).toMatchObject([{ kind: "idleTimeout", entries: [{ table: "TheIngress.routes4" }] }]);
    // One that is given up reports nothing.
    const other = await plain.prepare(plain.program!);
    await other.write([timed]);
    other.discard();
    clock.advance(20_000);
    expect(events).toHaveLength(1);
  });

  it("knows the ports that went down while it was prepared", async () => {
    const { device } = startUnconfigured("cpu", p4infoOf("cpu"));
    const prepared = await device.prepare(device.program!);
    const member = (memberId: number): Update => ({
      type: "insert",
      entity: {
        kind: "member",
        profile: "TheIngress.spread",
        memberId,
        action: { action: "TheIngress.use", params: { port: BigInt(memberId) } },
      },
    });
    await prepared.write([
      member(1),
      member(2),
      {
        type: "insert",
        entity: {
          kind: "group",
          profile: "TheIngress.spread",
          groupId: 1,
          maxSize: 0,
          members: [
            { memberId: 1, weight: 1, watchPort: 1 },
            { memberId: 2, weight: 1, watchPort: 2 },
          ],
        },
      },
    ]);
    device.setPortState(1, false);
    prepared.commit();
    const { store } = [...device.internals.instance.profiles.values()][0]!;
    /** How many slots of the group take packets. */
    const slots = () => store.slots[[...store.groups.values()][0]!.number]!.length;
    expect(slots()).toBe(1);
    device.setPortState(1, true);
    expect(slots()).toBe(2);
  });
});
