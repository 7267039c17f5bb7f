/** The switch as a Device: what it takes, what it refuses, and that a refusal changes nothing. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Match,
  type TableAction,
  type Update,
} from "../../../../src/toolchain/device/index.js";
import { type P4Info, readP4Info } from "../../../../src/toolchain/program/index.js";
import type { Switch } from "../../../../src/toolchain/switch/index.js";
import { runs } from "../../../fuzz-seed.js";
import { goldenJson, startProgram } from "../golden.js";

function p4infoOf(name: string): P4Info {
  const path = resolve(import.meta.dirname, `../../../golden/${name}/${name}.p4info.txtpb`);
  const diagnostics = new Diagnostics();
  const info = readP4Info(new SourceFile(path, readFileSync(path, "utf8")), "text", diagnostics);
  diagnostics.throwIfErrors();
  return info!;
}

const start = (name: string) =>
  startProgram(goldenJson(name, `${name}.json`), p4infoOf(name), { cpuPort: 255 });

const forward = (port: bigint): TableAction => ({
  kind: "action",
  action: "TheIngress.forward",
  params: { port },
});

function entry(
  mac: bigint,
  action: TableAction | undefined = forward(5n),
  more: object = {},
): Update["entity"] {
  const match: Match[] = [{ kind: "exact", field: "hdr.eth.dst", value: mac }];
  return {
    kind: "tableEntry",
    table: "TheIngress.destinations",
    match,
    priority: 0,
    ...(action === undefined ? {} : { action }),
    ...more,
  };
}

/** The same entry with no action at all. */
function without(entity: Entity): Entity {
  const { action: _, ...rest } = entity as { action?: unknown };
  return rest as Entity;
}

/** Everything that can be read, as one text. */
function snapshot(device: Switch): string {
  const entities: Entity[] = device.query([
    { kind: "tableEntry", counter: true, meter: true },
    { kind: "tableEntry", isDefault: true },
    { kind: "member" },
    { kind: "group" },
    { kind: "counter" },
    { kind: "meter" },
    { kind: "register" },
    { kind: "multicastGroup" },
    { kind: "cloneSession" },
    { kind: "digest" },
    { kind: "valueSet" },
  ]);
  return JSON.stringify(entities, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
}

function codeOf(device: Switch, update: Update): string {
  const before = snapshot(device);
  try {
    device.apply([update]);
    return "OK";
  } catch (error) {
    expect(snapshot(device)).toBe(before);
    return (error as DeviceError).code;
  }
}

describe("table entries", () => {
  it("are inserted, read, modified and deleted", () => {
    const { device } = start("cpu");
    device.apply([{ type: "insert", entity: entry(1n) }]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.destinations" }])).toEqual([entry(1n)]);
    device.apply([{ type: "modify", entity: entry(1n, forward(6n)) }]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.destinations" }])).toEqual([
      entry(1n, forward(6n)),
    ]);
    device.apply([{ type: "delete", entity: entry(1n, undefined) }]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.destinations" }])).toEqual([]);
  });

  const action = (name: string, params: Record<string, bigint> = {}): TableAction => ({
    kind: "action",
    action: name,
    params,
  });
  const refusals: [string, string, Update][] = [
    ["unknown table", "NOT_FOUND", { type: "insert", entity: { ...entry(1n), table: "nowhere" } as Entity }],
    ["unknown action", "NOT_FOUND", { type: "insert", entity: entry(1n, action("TheIngress.nothing")) }],
    [
      "action of another table",
      "NOT_FOUND",
      { type: "insert", entity: entry(1n, action("TheIngress.set_vlan", { vlan: 1n })) },
    ],
    [
      "unknown parameter",
      "NOT_FOUND",
      { type: "insert", entity: entry(1n, action("TheIngress.forward", { port: 1n, x: 1n })) },
    ],
    [
      "missing parameter",
      "INVALID_ARGUMENT",
      { type: "insert", entity: entry(1n, action("TheIngress.forward")) },
    ],
    ["parameter too wide", "INVALID_ARGUMENT", { type: "insert", entity: entry(1n, forward(512n)) }],
    ["no action", "INVALID_ARGUMENT", { type: "insert", entity: without(entry(1n)) }],
    ["value too wide", "INVALID_ARGUMENT", { type: "insert", entity: entry(1n << 48n) }],
    ["negative value", "INVALID_ARGUMENT", { type: "insert", entity: entry(-1n) }],
    [
      "missing exact field",
      "INVALID_ARGUMENT",
      { type: "insert", entity: { ...entry(1n), match: [] } as Entity },
    ],
    [
      "unknown field",
      "NOT_FOUND",
      {
        type: "insert",
        entity: { ...entry(1n), match: [{ kind: "exact", field: "x", value: 1n }] } as Entity,
      },
    ],
    [
      "wrong kind of match",
      "INVALID_ARGUMENT",
      {
        type: "insert",
        entity: {
          ...entry(1n),
          match: [{ kind: "ternary", field: "hdr.eth.dst", value: 1n, mask: 1n }],
        } as Entity,
      },
    ],
    [
      "priority in an exact table",
      "INVALID_ARGUMENT",
      { type: "insert", entity: entry(1n, forward(1n), { priority: 3 }) },
    ],
    ["modify of an absent entry", "NOT_FOUND", { type: "modify", entity: entry(9n) }],
    ["delete of an absent entry", "NOT_FOUND", { type: "delete", entity: entry(9n) }],
    [
      "member in a plain table",
      "INVALID_ARGUMENT",
      { type: "insert", entity: entry(1n, { kind: "member", memberId: 1 }) },
    ],
  ];
  it.each(refusals)("refuse: %s", (_, code, update) => {
    const { device } = start("cpu");
    expect(codeOf(device, update)).toBe(code);
  });

  it("refuse a second entry of the same key, and one too many", () => {
    const { device } = start("cpu");
    expect(codeOf(device, { type: "insert", entity: entry(1n) })).toBe("OK");
    expect(codeOf(device, { type: "insert", entity: entry(1n, forward(7n)) })).toBe("ALREADY_EXISTS");
    const size = device.program!.bmv2.pipelines[0]!.tables.find(
      ({ name }) => name === "TheIngress.destinations",
    )!.max_size;
    for (let i = 2; i <= size; i++)
      expect(codeOf(device, { type: "insert", entity: entry(BigInt(i)) })).toBe("OK");
    expect(codeOf(device, { type: "insert", entity: entry(BigInt(size + 1)) })).toBe("RESOURCE_EXHAUSTED");
  });

  it("refuse changes of a table of constant entries", () => {
    const { device } = start("cpu");
    const [fixed] = device.query([{ kind: "tableEntry", table: "TheIngress.fixed" }]);
    expect((fixed as { isConst: boolean }).isConst).toBe(true);
    expect(codeOf(device, { type: "delete", entity: fixed! })).toBe("PERMISSION_DENIED");
  });

  it("change the default entry and go back to the program's own", () => {
    const { device } = start("cpu");
    const query = [{ kind: "tableEntry" as const, table: "TheIngress.destinations", isDefault: true }];
    const own = device.query(query);
    const changed = { ...entry(0n, forward(3n)), match: [], isDefault: true } as Entity;
    device.apply([{ type: "modify", entity: changed }]);
    expect(device.query(query)).toEqual([changed]);
    device.apply([{ type: "modify", entity: without(changed) }]);
    expect(device.query(query)).toEqual(own);
    expect(codeOf(device, { type: "insert", entity: changed })).toBe("INVALID_ARGUMENT");
  });
});

const METERED = "TheIngress.kinds";

describe("batches", () => {
  const batch: Update[] = [
    { type: "insert", entity: entry(1n) },
    { type: "insert", entity: entry(1n) },
    { type: "insert", entity: entry(2n) },
  ];

  it("continue on error by default, with a status for each update", () => {
    const { device } = start("cpu");
    const error = catchError(() => device.apply(batch));
    expect(error.updates!.map(({ code }) => code)).toEqual(["OK", "ALREADY_EXISTS", "OK"]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.destinations" }])).toHaveLength(2);
  });

  it.each(["rollbackOnError", "dataplaneAtomic"] as const)("%s leaves everything as it was", (atomicity) => {
    const { device } = start("cpu");
    device.apply([{ type: "insert", entity: entry(7n) }]);
    const before = snapshot(device);
    const mixed: Update[] = [
      { type: "modify", entity: entry(7n, forward(1n)) },
      { type: "delete", entity: entry(7n, undefined) },
      ...batch,
    ];
    const error = catchError(() => device.apply(mixed, atomicity));
    expect(error.updates!.map(({ code }) => code)).toEqual([
      "ABORTED",
      "ABORTED",
      "ABORTED",
      "ALREADY_EXISTS",
      "ABORTED",
    ]);
    expect(snapshot(device)).toBe(before);
  });

  it.each(["rollbackOnError", "dataplaneAtomic"] as const)("%s puts counters back", (atomicity) => {
    const { device } = start("cpu");
    const counter = (packets: bigint) => ({ counter: { packets, bytes: packets * 10n } });
    const data = { packets: 7n, bytes: 8n };
    const direct = { kind: "directCounter", entry: entry(7n), data } as Entity;
    const failing: Update = { type: "delete", entity: entry(9n) };
    // Entry 7 gets the number of entry 6 when its delete is rolled back.
    device.apply([
      { type: "insert", entity: entry(6n) },
      { type: "insert", entity: entry(7n, forward(5n), counter(5n)) },
      { type: "delete", entity: entry(6n) },
    ]);
    const before = snapshot(device);
    for (const updates of [
      [{ type: "modify" as const, entity: entry(7n, forward(5n), counter(9n)) }],
      [{ type: "delete" as const, entity: entry(7n) }],
      [
        { type: "modify" as const, entity: direct },
        { type: "delete" as const, entity: entry(7n) },
        { type: "insert" as const, entity: entry(8n, forward(5n), counter(4n)) },
        { type: "insert" as const, entity: entry(7n, forward(2n), counter(3n)) },
      ],
    ]) {
      catchError(() => device.apply([...updates, failing], atomicity));
      expect(snapshot(device)).toBe(before);
    }
  });

  it("rollbackOnError puts direct meters back, with the tokens that they have left", () => {
    const { device } = start("memory");
    const rates = (n: bigint) => ({
      meter: { committedRate: n, committedBurst: n, peakRate: n, peakBurst: n },
    });
    const probe = (kind: bigint, more: object): Entity => ({
      kind: "tableEntry",
      table: METERED,
      match: [{ kind: "exact", field: "kind", value: kind }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.sort_of", params: {} },
      ...more,
    });
    device.apply([
      { type: "insert", entity: probe(6n, {}) },
      { type: "insert", entity: probe(7n, rates(2n)) },
      { type: "delete", entity: probe(6n, {}) },
    ]);
    const colour = () => {
      const { store } = device.internals.instance.tables.get(METERED)!;
      return store.meter!.execute([...store.entries.keys()][0]!, 1, 0);
    };
    expect(colour()).toBe(0);
    const before = snapshot(device);
    const direct = { kind: "directMeter", entry: probe(7n, {}), config: rates(9n).meter } as Entity;
    const failing: Update = { type: "delete", entity: probe(9n, {}) };
    for (const updates of [
      [{ type: "modify" as const, entity: probe(7n, rates(9n)) }],
      [{ type: "delete" as const, entity: probe(7n, {}) }],
      [
        { type: "modify" as const, entity: direct },
        { type: "delete" as const, entity: probe(7n, {}) },
        { type: "insert" as const, entity: probe(8n, rates(9n)) },
      ],
    ]) {
      catchError(() => device.apply([...updates, failing], "rollbackOnError"));
      expect(snapshot(device)).toBe(before);
    }
    expect([colour(), colour()]).toEqual([0, 2]);
  });

  it("rollbackOnError reports an idle entry no second time", () => {
    const { device, clock } = start("cpu");
    const events: DeviceEvent[] = [];
    device.watch((event) => events.push(event));
    device.apply([{ type: "insert", entity: entry(1n, forward(5n), { idleTimeoutNs: 1_000_000n }) }]);
    clock.advance(600);
    const batch: Update[] = [
      { type: "modify", entity: entry(1n, forward(6n), { idleTimeoutNs: 5_000_000n }) },
      { type: "delete", entity: entry(9n) },
    ];
    catchError(() => device.apply(batch, "rollbackOnError"));
    clock.advance(1100);
    expect(events).toMatchObject([{ kind: "idleTimeout", timestampNs: 1_000_000n }]);
    catchError(() => device.apply(batch, "rollbackOnError"));
    clock.advance(20_000);
    expect(events).toHaveLength(1);
  });

  it("MODIFY starts the idle time again, with the timeout that it gives", () => {
    const { device, clock } = start("cpu");
    const times: bigint[] = [];
    device.watch((event) => event.kind === "idleTimeout" && times.push(event.timestampNs));
    const modify = (idleTimeoutNs: bigint) =>
      device.apply([{ type: "modify", entity: entry(1n, forward(5n), { idleTimeoutNs }) }]);
    device.apply([{ type: "insert", entity: entry(1n, forward(5n), { idleTimeoutNs: 5_000_000n }) }]);
    clock.advance(3000);
    modify(5_000_000n);
    clock.advance(7999);
    expect(times).toEqual([]);
    clock.advance(8000);
    expect(times).toEqual([8_000_000n]);
    modify(2_000_000n);
    clock.advance(10_000);
    expect(times).toEqual([8_000_000n, 10_000_000n]);
    modify(9_000_000n);
    modify(1_000_000n);
    clock.advance(11_000);
    expect(times.at(-1)).toBe(11_000_000n);
    modify(1_000_000n);
    modify(0n);
    clock.advance(30_000);
    expect(times).toHaveLength(3);
  });

  it("reports many entries that are idle at once in parts, each entry once", () => {
    const { device, clock } = start("cpu");
    const reports: bigint[][] = [];
    device.watch((event) => {
      if (event.kind !== "idleTimeout") return;
      expect(event.timestampNs).toBe(1_000_000n);
      reports.push(event.entries.map(({ match }) => (match[0] as Match & { kind: "exact" }).value));
    });
    const macs = Array.from({ length: 2500 }, (_, i) => BigInt(i + 1));
    const max = Number(device.internals.instance.tables.get("TheIngress.destinations")!.info.table.max_size);
    const used = macs.slice(0, max);
    device.apply(
      used.map((mac) => ({ type: "insert", entity: entry(mac, forward(5n), { idleTimeoutNs: 1_000_000n }) })),
    );
    clock.advance(1000);
    expect(reports.flat().sort((a, b) => Number(a - b))).toEqual(used);
    expect(Math.max(...reports.map((list) => list.length))).toBeLessThanOrEqual(1024);
  });

  function catchError(run: () => void): DeviceError {
    try {
      run();
    } catch (error) {
      if (error instanceof DeviceError) return error;
    }
    throw new Error("nothing was refused");
  }
});

const profile = "TheIngress.spread";
const use = (port: bigint) => ({ action: "TheIngress.use", params: { port } });
const member = (memberId: number, port: bigint): Entity => ({
  kind: "member",
  profile,
  memberId,
  action: use(port),
});
const group = (groupId: number, members: [number, number, number?][]): Entity => ({
  kind: "group",
  profile,
  groupId,
  members: members.map(([memberId, weight, watchPort]) => ({
    memberId,
    weight,
    ...(watchPort === undefined ? {} : { watchPort }),
  })),
  maxSize: 0,
});

describe("action profiles", () => {
  it("guard members and groups that are in use", () => {
    const { device } = start("cpu");
    expect(codeOf(device, { type: "insert", entity: group(1, [[1, 1]]) })).toBe("NOT_FOUND");
    device.apply([{ type: "insert", entity: member(1, 4n) }]);
    expect(codeOf(device, { type: "insert", entity: member(1, 5n) })).toBe("ALREADY_EXISTS");
    device.apply([{ type: "insert", entity: group(1, [[1, 1]]) }]);
    expect(codeOf(device, { type: "delete", entity: member(1, 4n) })).toBe("FAILED_PRECONDITION");
    expect(codeOf(device, { type: "modify", entity: group(1, [[1, 0]]) })).toBe("INVALID_ARGUMENT");
    expect(
      codeOf(device, {
        type: "modify",
        entity: group(1, [
          [1, 1],
          [1, 1],
        ]),
      }),
    ).toBe("INVALID_ARGUMENT");
    device.apply([
      { type: "delete", entity: group(1, []) },
      { type: "delete", entity: member(1, 4n) },
    ]);
    expect(device.query([{ kind: "member" }, { kind: "group" }])).toEqual([]);
  });

  const paths = (key: bigint, action: TableAction): Entity => ({
    kind: "tableEntry",
    table: "TheIngress.paths",
    match: [{ kind: "exact", field: "meta.vlan", value: key }],
    priority: 0,
    action,
  });
  it("one-shot sets come and go with their entry, and do not mix with members", () => {
    const { device } = start("cpu");
    const before = snapshot(device);
    const actions = [
      { ...use(3n), weight: 1 },
      { ...use(4n), weight: 2 },
    ];
    const update = paths(1n, { kind: "oneShot", actions });
    device.apply([{ type: "insert", entity: update }]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.paths" }])).toEqual([update]);
    expect(device.query([{ kind: "member" }, { kind: "group" }])).toEqual([]);
    expect(codeOf(device, { type: "insert", entity: member(1, 1n) })).toBe("INVALID_ARGUMENT");
    device.apply([{ type: "delete", entity: update }]);
    expect(snapshot(device)).toBe(before);
    device.apply([{ type: "insert", entity: member(1, 1n) }]);
    expect(codeOf(device, { type: "insert", entity: update })).toBe("INVALID_ARGUMENT");
  });

  it("have room for as many members of one-shot sets as for others", () => {
    const { device } = start("cpu");
    const { maxSize } = device.internals.instance.profiles.get(profile)!.store;
    expect(maxSize).toBe(16);
    const set = (key: bigint, members: number, port: bigint) =>
      paths(key, {
        kind: "oneShot",
        actions: Array.from({ length: members }, () => ({ ...use(port), weight: 1 })),
      });
    const insert = (entity: Entity) => codeOf(device, { type: "insert", entity });
    // No group has more than 4 (max_group_size), so the profile's own bound is met by several.
    for (let key = 1n; key <= 3n; key++) expect(insert(set(key, 4, 1n))).toBe("OK");
    expect(insert(set(4n, 3, 1n))).toBe("OK");
    expect(insert(set(5n, 2, 1n))).toBe("RESOURCE_EXHAUSTED");
    expect(insert(set(5n, 1, 1n))).toBe("OK");
    expect(insert(set(6n, 1, 1n))).toBe("RESOURCE_EXHAUSTED");
    // What a set replaces makes room for it.
    expect(codeOf(device, { type: "modify", entity: set(1n, 4, 2n) })).toBe("OK");
    expect(codeOf(device, { type: "modify", entity: set(5n, 2, 2n) })).toBe("RESOURCE_EXHAUSTED");
    expect(codeOf(device, { type: "delete", entity: set(1n, 4, 2n) })).toBe("OK");
    expect(codeOf(device, { type: "modify", entity: set(5n, 4, 2n) })).toBe("OK");
    expect(insert(set(7n, 1, 1n))).toBe("OK");
    expect(insert(set(8n, 1, 1n))).toBe("RESOURCE_EXHAUSTED");
  });

  it("take members out while the port that they watch is down", () => {
    const { device } = start("cpu");
    const events: DeviceEvent[] = [];
    device.watch((event) => events.push(event));
    device.apply([
      { type: "insert", entity: member(1, 4n) },
      { type: "insert", entity: member(2, 5n) },
      {
        type: "insert",
        entity: group(1, [
          [1, 2, 4],
          [2, 1, 5],
        ]),
      },
    ]);
    const slots = () => [...device.internals.instance.profiles.get(profile)!.store.slots[0]!];
    expect(slots()).toEqual([0, 1, 2]);
    device.setPortState(4, false);
    expect(slots()).toEqual([1]);
    device.setPortState(5, false);
    expect(slots()).toEqual([]);
    device.setPortState(4, true);
    device.setPortState(5, true);
    expect(slots()).toEqual([0, 1, 2]);
    expect(events.filter(({ kind }) => kind === "portState")).toHaveLength(4);
  });
});

describe("other entities", () => {
  it("are checked for index, width and range", () => {
    const { device } = start("cpu");
    const { counters, meters, registers } = device.internals.instance;
    const [counter, meter, register] = [counters, meters, registers].map((map) => [...map.values()][0]!);
    const data = { packets: 3n, bytes: 4n };
    const at = (index: number): Entity => ({ kind: "counter", counter: counter!.name, index, data });
    expect(codeOf(device, { type: "modify", entity: at(0) })).toBe("OK");
    expect(codeOf(device, { type: "insert", entity: at(0) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "modify", entity: at(counter!.size) })).toBe("OUT_OF_RANGE");
    expect(device.query([{ kind: "counter", counter: counter!.name, index: 0 }])).toEqual([at(0)]);
    const config = { committedRate: 100n, committedBurst: 10n, peakRate: 200n, peakBurst: 20n };
    const rates = (c: typeof config): Entity => ({ kind: "meter", meter: meter!.name, index: 1, config: c });
    expect(codeOf(device, { type: "modify", entity: rates(config) })).toBe("OK");
    expect(device.query([{ kind: "meter", meter: meter!.name, index: 1 }])).toEqual([rates(config)]);
    expect(codeOf(device, { type: "modify", entity: rates({ ...config, peakRate: 50n }) })).toBe(
      "INVALID_ARGUMENT",
    );
    expect(codeOf(device, { type: "modify", entity: rates({ ...config, committedRate: -1n }) })).toBe(
      "INVALID_ARGUMENT",
    );
    const value = (v: bigint): Entity => ({ kind: "register", register: register!.name, index: 0, value: v });
    expect(codeOf(device, { type: "modify", entity: value(1n) })).toBe("OK");
    expect(codeOf(device, { type: "modify", entity: value(1n << 200n) })).toBe("INVALID_ARGUMENT");
    expect(device.query([{ kind: "register", register: register!.name, index: 0 }])).toEqual([value(1n)]);
  });

  it("replication: groups and sessions", () => {
    const { device } = start("cpu");
    const multicast = (groupId: number, ports: number[]): Entity => ({
      kind: "multicastGroup",
      groupId,
      replicas: ports.map((port) => ({ port, instance: 1 })),
    });
    expect(codeOf(device, { type: "insert", entity: multicast(0, [1]) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "insert", entity: multicast(1, [1, 1]) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "insert", entity: multicast(1, [1, 2]) })).toBe("OK");
    expect(codeOf(device, { type: "insert", entity: multicast(1, [3]) })).toBe("ALREADY_EXISTS");
    expect(codeOf(device, { type: "modify", entity: multicast(2, [3]) })).toBe("NOT_FOUND");
    const clone = (sessionId: number): Entity => ({
      kind: "cloneSession",
      sessionId,
      replicas: [{ port: 3, instance: 1 }],
      classOfService: 0,
      packetLengthBytes: 20,
    });
    expect(codeOf(device, { type: "insert", entity: clone(-1) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "insert", entity: clone(32768) })).toBe("INVALID_ARGUMENT");
    expect(codeOf(device, { type: "insert", entity: clone(7) })).toBe("OK");
    expect(device.query([{ kind: "cloneSession" }])).toEqual([clone(7)]);
    expect(codeOf(device, { type: "delete", entity: clone(7) })).toBe("OK");
    expect(codeOf(device, { type: "delete", entity: clone(7) })).toBe("NOT_FOUND");
  });
});

describe("packets between controller and switch", () => {
  // Recorded in p4runtime.json: "packet out to a port" and the packet-in of an unknown destination.
  it("packet-out by a port, missing metadata as 0, wrong ones refused", () => {
    const { device, outputs } = start("cpu");
    const header = device.internals.instance.p4.controllerHeaders.byName("packet_out")!.fields.list;
    const payload = new Uint8Array([
      2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0x34, 0x12, 0x34, 104, 101, 108, 108, 111,
    ]);
    device.sendPacketOut({ payload, metadata: { [header[0]!.name]: 4n } });
    expect(outputs).toEqual([{ port: 4, hex: "020000000001020000000034123468656c6c6f" }]);
    expect(() => device.sendPacketOut({ payload, metadata: { [header[0]!.name]: 512n } })).toThrow(
      DeviceError,
    );
    expect(() => device.sendPacketOut({ payload, metadata: { nothing: 1n } })).toThrow(DeviceError);
  });

  it("packet-in with the metadata of the controller header", () => {
    const { device, play } = start("cpu");
    const events: DeviceEvent[] = [];
    device.watch((event) => events.push(event));
    expect(play(2, "02000000004d0200000000321234" + "68656c6c6f")).toEqual([]);
    const [packetIn] = events;
    if (packetIn?.kind !== "packetIn") throw new Error("no packet-in");
    expect(Object.values(packetIn.packet.metadata)[0]).toBe(2n);
    expect([...packetIn.packet.payload.slice(0, 6)]).toEqual([2, 0, 0, 0, 0, 0x4d]);
  });
});

describe("random updates", () => {
  it("leave the state unchanged whenever they are refused", () => {
    const { device } = start("cpu");
    const number = fc.oneof(fc.bigInt(0n, 4n), fc.bigInt(-1n, 1n << 50n));
    const anyAction: fc.Arbitrary<TableAction> = fc.oneof(
      number.map(forward),
      fc.record({ kind: fc.constant("member" as const), memberId: fc.nat(4) }),
      fc.record({ kind: fc.constant("group" as const), groupId: fc.nat(4) }),
      number.map((port) => ({ kind: "oneShot" as const, actions: [{ ...use(port), weight: 1 }] })),
    );
    const anyEntity: fc.Arbitrary<Entity> = fc.oneof(
      fc.tuple(number, anyAction).map(([mac, action]) => entry(mac, action)),
      fc.tuple(fc.nat(4), number).map(([id, port]) => member(id, port)),
      fc
        .tuple(fc.nat(4), fc.array(fc.tuple(fc.nat(4), fc.nat(3)), { maxLength: 3 }))
        .map(([id, list]) => group(id, list)),
    );
    const update = fc.record({
      type: fc.constantFrom("insert" as const, "modify" as const, "delete" as const),
      entity: anyEntity,
    });
    fc.assert(
      fc.property(update, (one) => {
        codeOf(device, one);
      }),
      runs(400),
    );
  });
});
