/** What traces say of each feature of v1model. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import { createP4Info } from "../../../../src/toolchain/program/index.js";
import { type PacketTrace, Switch } from "../../../../src/toolchain/switch/index.js";
import { eventsOf, featuresProgram, nodesOf, startFeatures } from "./features.js";

const line = (number: number) => expect.objectContaining({ filename: "features.p4", line: number });

describe("the way of a packet", () => {
  it("starts with its arrival and ends with what was sent, times on the switch's clock", () => {
    const { trace, clock } = startFeatures();
    clock.advance(12.3456);
    const { input, root, ...rest } = trace("01000a010203ff");
    expect(rest).toEqual({ trace_version: 1, device: "switch", program: "features.p4" });
    expect(input).toEqual({
      packet_id: 0,
      ingress_port: 1,
      time_us: 12.346,
      packet_size: 7,
      bytes: "01000a010203ff",
    });
    expect(root.cause).toBe("arrival");
    expect(root.outcome).toEqual({
      kind: "transmit",
      egress_port: 2,
      packet_size: 7,
      time_us: 12.346,
      bytes: "01000a010203ff",
    });
    expect(trace("01000a010203ff").input.packet_id).toBe(1);
  });

  it("names the parser's states, what they extract and what they select on", () => {
    const { root } = startFeatures().trace("14090a01020377");
    expect(eventsOf(root, "extract")).toEqual([
      {
        kind: "extract",
        header: "order",
        packet_size: 6,
        fields: [
          { field: "order.what", value: "0x14" },
          { field: "order.value", value: "0x09" },
          { field: "order.address", value: "0x0a010203" },
        ],
      },
      { kind: "extract", header: "note", packet_size: 1, fields: [{ field: "note.code", value: "0x77" }] },
    ]);
    expect(eventsOf(root, "parser_transition")).toEqual([
      {
        kind: "parser_transition",
        from_state: "start",
        to_state: "with_note",
        select_expression: "order.what, order.value",
        select_value: "0x14, 0x09",
        select_case: "0x1400 &&& 0xfe00",
      },
      { kind: "parser_transition", from_state: "with_note", to_state: "accept" },
    ]);
  });

  it("reports a parser's error with its reason, and that ingress still runs", () => {
    const { trace } = startFeatures();
    const short = trace("0102").root;
    expect(eventsOf(short, "parser_error")).toEqual([
      {
        kind: "parser_error",
        state: "start",
        error: "PacketTooShort",
        reason: "extract order, 2 bytes left",
      },
    ]);
    expect(short.outcome).toMatchObject({ kind: "transmit" });
    const odd = trace("630300000000").root;
    expect(eventsOf(odd, "verify")).toMatchObject([
      { passed: false, variable_values: { "order.value": "0x03" } },
    ]);
    expect(eventsOf(odd, "parser_error")).toMatchObject([{ error: "OddValue" }]);
    const [first] = eventsOf(short, "branch");
    expect(first!.variable_values).toEqual({ "order.what": "0x00", "order.isValid()": "0x0" });
  });

  it("reports conditions in the words of the program, with the values they read", () => {
    const { root } = startFeatures().trace("02000a010203");
    expect(eventsOf(root, "branch").slice(0, 2)).toEqual([
      {
        kind: "branch",
        condition: "hdr.order.what == 1",
        taken: false,
        variable_values: { "order.what": "0x02" },
        source_info: line(96),
      },
      {
        kind: "branch",
        condition: "hdr.order.what == 2",
        taken: true,
        variable_values: { "order.what": "0x02" },
        source_info: line(98),
      },
    ]);
  });

  it("reports the stages in their order", () => {
    const { root } = startFeatures().trace("01000a010203");
    expect(eventsOf(root, "pipeline_stage").map(({ stage_name }) => stage_name)).toEqual([
      "parser",
      "ingress",
      "egress",
      "deparser",
    ]);
    expect(eventsOf(root, "deparser_emit")).toEqual([
      {
        kind: "deparser_emit",
        headers: [{ header: "order", packet_size: 6 }],
        payload_size: 0,
        packet_size: 6,
      },
    ]);
  });
});

describe("tables", () => {
  it("show key, entry as it was written, action, arguments, counter and effect", () => {
    const { root } = startFeatures().trace("01000a010203");
    const lookups = eventsOf(root, "table_lookup").filter(({ hidden }) => !hidden);
    expect(lookups).toEqual([
      {
        kind: "table_lookup",
        table_name: "TheIngress.routes",
        key: [{ field: "hdr.order.address", match_type: "lpm", value: "0x0a010203" }],
        hit: true,
        matched_entry: {
          handle: 0,
          match: [{ field: "hdr.order.address", match_type: "lpm", value: "0x0a000000", prefix_length: 8 }],
        },
        action_name: "TheIngress.send",
        params: { port: "0x002" },
        direct_counter: { packets: 1, bytes: 6 },
        source_info: line(68),
      },
    ]);
    const at = root.events.indexOf(lookups[0]!);
    expect(root.events[at + 1]).toEqual({
      kind: "assignment",
      changes: [{ field: "standard_metadata.egress_spec", before: "0x000", after: "0x002" }],
      source_info: line(63),
    });
  });

  it("show a miss with its default action, and where the drop was decided", () => {
    const { root } = startFeatures().trace("01000b010203");
    const [lookup] = eventsOf(root, "table_lookup").filter(({ hidden }) => !hidden);
    expect(lookup).toMatchObject({ hit: false, action_name: "TheIngress.discard", params: {} });
    expect(lookup).not.toHaveProperty("matched_entry");
    expect(eventsOf(root, "mark_to_drop")).toMatchObject([
      { changes: [{ field: "standard_metadata.egress_spec", before: "0x000", after: "0x1ff" }] },
    ]);
    expect(root.outcome).toEqual({
      kind: "drop",
      reason: "mark_to_drop",
      stage: "ingress",
      source_info: line(66),
    });
  });

  it("leave out of an entry what may be anything, and give priorities", () => {
    const { root } = startFeatures().trace("14050a01020377");
    const [lookup] = eventsOf(root, "table_lookup").filter(({ hidden }) => !hidden);
    expect(lookup!.matched_entry).toEqual({
      handle: 0,
      priority: 70,
      match: [{ field: "hdr.order.value", match_type: "ternary", value: "0x04", mask: "0x0c" }],
    });
    expect(lookup!.key[1]).toEqual({ field: "code", match_type: "range", value: "0x77" });
  });

  it("say when a key's header is not valid", () => {
    // Too short for the note that the filters look at.
    const { root } = startFeatures().trace("14050a010203");
    const [lookup] = eventsOf(root, "table_lookup").filter(({ hidden }) => !hidden);
    expect(lookup!.key[1]).toEqual({
      field: "code",
      match_type: "range",
      value: "0x00",
      header_valid: false,
    });
  });

  it("show how a selector chose its member", () => {
    const { trace, device } = startFeatures();
    for (const address of ["0a010203", "0a010204", "c0a80001", "00000000"]) {
      const { root } = trace(`0200${address}`);
      const [lookup] = eventsOf(root, "table_lookup").filter(({ hidden }) => !hidden);
      const { selector, member_id, group_id } = lookup!;
      expect(group_id).toBe(7);
      expect(selector).toMatchObject({
        algorithm: "crc16",
        inputs: [
          { field: "order.address", value: `0x${address}` },
          { field: "order.value", value: "0x00" },
        ],
        bytes: `${address}00`,
        slots: 3,
        slot: Number(selector!.hash) % 3,
      });
      expect(member_id).toBe([10, 20, 30][selector!.slot]);
      expect(root.outcome).toMatchObject({ kind: "transmit", egress_port: member_id });
    }
    device.apply([
      {
        type: "modify",
        entity: { kind: "group", profile: "TheIngress.paths", groupId: 7, members: [], maxSize: 0 },
      },
    ]);
    const [empty] = eventsOf(trace("02000a010203").root, "table_lookup").filter(({ hidden }) => !hidden);
    expect(empty).toMatchObject({ hit: true, group_id: 7 });
    expect(empty).not.toHaveProperty("selector");
    expect(empty).not.toHaveProperty("action_name");
  });
});

describe("resources", () => {
  it("are reported with their element and its new value", () => {
    const { trace } = startFeatures();
    trace("06010a000001");
    const { root } = trace("060100000002");
    expect(eventsOf(root, "counter")).toMatchObject([
      { counter: "TheIngress.seen", index: 1, packets: 2, bytes: 12, source_info: line(111) },
    ]);
    expect(eventsOf(root, "register_read")).toMatchObject([
      {
        register: "TheIngress.sums",
        index: 1,
        value: "0x0a000001",
        changes: [{ field: "meta_t.state", before: "0x00000000", after: "0x0a000001" }],
      },
    ]);
    expect(eventsOf(root, "register_write")).toMatchObject([
      { register: "TheIngress.sums", index: 1, before: "0x0a000001", after: "0x0a000003" },
    ]);
    expect(eventsOf(root, "meter")).toMatchObject([{ meter: "TheIngress.speed", index: 1, color: "green" }]);
  });

  it("say nothing of an element that is not there", () => {
    const { root } = startFeatures().trace("06090a000001");
    expect(eventsOf(root, "counter")[0]).toEqual({
      kind: "counter",
      counter: "TheIngress.seen",
      index: 9,
      source_info: line(111),
    });
    expect(eventsOf(root, "register_read")[0]).not.toHaveProperty("value");
    expect(eventsOf(root, "register_write")[0]).not.toHaveProperty("after");
    expect(eventsOf(root, "meter")[0]).not.toHaveProperty("color");
  });

  it("are hashes with their input, digests with their data, log messages with their values", () => {
    const logged: string[] = [];
    const { root } = startFeatures({ log: (text) => logged.push(text) }).trace("07010a000001");
    const [hash] = eventsOf(root, "hash");
    // CRC-16/ARC over the five bytes, then 1 + hash mod 1000.
    expect(hash).toMatchObject({ algorithm: "crc16", bytes: "0a00000101", result: "0x00005158" });
    expect(Number(hash!.changes[0]!.after)).toBe(1 + (0x5158 % 1000));
    expect(eventsOf(root, "digest")).toMatchObject([{ digest: "report_t" }]);
    expect(eventsOf(root, "digest")[0]!.data.map(({ value }) => value)).toEqual(["0x01", "0x0a000001"]);
    const message = `hash ${1 + (0x5158 % 1000)}`;
    expect(eventsOf(root, "log_message")).toEqual([{ kind: "log_message", message }]);
    expect(logged).toEqual([message]);
  });
});

describe("headers", () => {
  it("become valid and invalid, and a write into an invalid one is reported as such", () => {
    const { root } = startFeatures().trace("0b010a000001ee");
    expect(eventsOf(root, "header_operation")).toMatchObject([
      { operation: "setValid", changes: [{ field: "note.isValid()", before: "0x0", after: "0x1" }] },
      { operation: "setInvalid", changes: [{ field: "order.isValid()", before: "0x1", after: "0x0" }] },
    ]);
    const changes = eventsOf(root, "assignment").flatMap((event) => event.changes);
    expect(changes).toContainEqual({ field: "note.code", before: "0x00", after: "0xab" });
    expect(changes).toContainEqual({ field: "order.value", after: "0x03", header_valid: false });
    expect(root.outcome).toMatchObject({ bytes: "abee" });
  });
});

describe("copies", () => {
  it("of a multicast group are branches with port and instance", () => {
    const { root } = startFeatures().trace("03030a000001");
    expect(eventsOf(root, "multicast_group_lookup")).toEqual([
      {
        kind: "multicast_group_lookup",
        multicast_group_id: 3,
        group_found: true,
        replica_count: 2,
        replicas: [
          { egress_port: 5, instance: 1 },
          { egress_port: 6, instance: 2 },
        ],
      },
    ]);
    expect(root.outcome).toEqual({ kind: "fork", reason: "multicast" });
    expect(root.branches).toMatchObject([
      {
        cause: "replica",
        egress_port: 5,
        replica_instance: 1,
        outcome: { kind: "transmit", egress_port: 5 },
      },
      {
        cause: "replica",
        egress_port: 6,
        replica_instance: 2,
        outcome: { kind: "transmit", egress_port: 6 },
      },
    ]);
  });

  it("of a group without members are a drop", () => {
    expect(startFeatures().trace("03040a000001").root.outcome).toEqual({
      kind: "drop",
      reason: "no_replica",
      stage: "ingress",
      multicast_group_id: 4,
    });
  });

  it("of an ingress clone are parsed again, cut by their session, and reported with the packet", () => {
    const { root } = startFeatures().trace("04050a000001");
    expect(eventsOf(root, "clone")).toMatchObject([{ clone_type: "I2E", session_id: 5, field_list: 1 }]);
    expect(eventsOf(root, "clone_session_lookup")).toEqual([
      {
        kind: "clone_session_lookup",
        session_id: 5,
        session_found: true,
        replica_count: 1,
        packet_length_bytes: 4,
      },
    ]);
    expect(root.outcome).toMatchObject({ kind: "transmit", egress_port: 4 });
    const [clone] = root.branches!;
    expect(clone).toMatchObject({ cause: "ingress_clone", egress_port: 8, replica_instance: 9 });
    expect(eventsOf(clone!, "pipeline_stage").map(({ stage_name }) => stage_name)).toEqual([
      "parser",
      "egress",
      "deparser",
    ]);
    expect(eventsOf(clone!, "deparser_emit")).toMatchObject([{ packet_size: 6, cut_to: 4 }]);
    expect(clone!.outcome).toMatchObject({ kind: "transmit", egress_port: 8, bytes: "04050a00" });
  });

  it("of a session with several replicas are branches of the clone", () => {
    const { root } = startFeatures().trace("04060a000001");
    const [clone] = root.branches!;
    expect(clone).toMatchObject({ cause: "ingress_clone", outcome: { kind: "fork", reason: "clone" } });
    expect(clone!.branches).toMatchObject([
      { cause: "replica", egress_port: 8, replica_instance: 1 },
      { cause: "replica", egress_port: 9, replica_instance: 2 },
    ]);
  });

  it("of an egress clone start as egress left the packet", () => {
    const { root } = startFeatures().trace("0c010a000001");
    const [clone] = root.branches!;
    expect(clone).toMatchObject({ cause: "egress_clone", outcome: { kind: "transmit", bytes: "00010a00" } });
  });

  it("are none where the session does not exist", () => {
    const { root } = startFeatures().trace("04090a000001");
    expect(eventsOf(root, "clone_session_lookup")).toMatchObject([{ session_id: 9, session_found: false }]);
    expect(root).not.toHaveProperty("branches");
  });

  it("of a resubmitted and of a recirculated packet are its next round", () => {
    const { trace } = startFeatures();
    const resubmitted = trace("05010a000001").root;
    expect(resubmitted.outcome).toEqual({ kind: "fork", reason: "resubmit" });
    expect(resubmitted.branches).toMatchObject([
      { cause: "resubmit", outcome: { kind: "transmit", egress_port: 5 } },
    ]);
    const recirculated = trace("0d010a000001").root;
    expect(recirculated.outcome).toEqual({ kind: "fork", reason: "recirculate" });
    expect(recirculated.branches).toMatchObject([
      { cause: "recirculate", outcome: { kind: "transmit", egress_port: 2 } },
    ]);
  });

  it("without end fill a document of bounded size", () => {
    const { trace, device } = startFeatures();
    const packet = trace("0f010a000001");
    expect(packet.cut).toBe(true);
    expect(nodesOf(packet.root).length).toBeLessThanOrEqual(1000);
    expect(device.stats.drops.loop).toBe(1);
  });
});

describe("drops", () => {
  const reasonOf = (packet: PacketTrace) => {
    const { outcome } = packet.root;
    return outcome.kind === "drop" ? outcome : undefined;
  };

  it("are counted and reported by their reasons", () => {
    const { trace, device } = startFeatures();
    expect(reasonOf(trace("01000b010203"))).toMatchObject({ reason: "mark_to_drop", stage: "ingress" });
    expect(reasonOf(trace("09000b010203"))).toMatchObject({
      reason: "drop_port",
      stage: "ingress",
      source_info: line(125),
    });
    expect(reasonOf(trace("0e000b010203"))).toMatchObject({
      reason: "mark_to_drop",
      stage: "egress",
      source_info: line(156),
    });
    expect(reasonOf(trace("08000b010203"))).toMatchObject({
      reason: "assertion",
      stage: "ingress",
      source_info: line(122),
    });
    trace("03040a000001");
    device.setPortState(2, false);
    expect(reasonOf(trace("01000a010203"))).toEqual({
      kind: "drop",
      reason: "port_down",
      stage: "deparser",
      egress_port: 2,
    });
    expect(reasonOf(trace("01000a010203", 2))).toEqual({ kind: "drop", reason: "port_down" });
    expect(device.stats.drops).toEqual({
      ingress: 2,
      egress: 1,
      replication: 1,
      queue: 0,
      port: 2,
      program: 0,
      assertion: 1,
      loop: 0,
    });
    expect(device.stats.dropped).toBe(7);
  });

  it("happen in queues too", () => {
    const queue = { depthPackets: 1, rateBitsPerSecond: () => 8e6 };
    const { trace, traces, clock, device } = startFeatures({ queue });
    for (let i = 0; i < 3; i++) trace("01000a010203");
    // The first is on the wire, the second waits, the third found no room.
    expect(traces.map(reasonOf)).toEqual([
      { kind: "drop", reason: "queue_full", stage: "ingress", egress_port: 2 },
    ]);
    clock.advance(100);
    expect(traces.map(({ input }) => input.packet_id)).toEqual([2, 0, 1]);
    const stages = eventsOf(traces[2]!.root, "pipeline_stage");
    expect(stages.find(({ stage_name }) => stage_name === "egress")).toMatchObject({
      time_us: 6,
      queued_us: 6,
    });
    expect(traces[2]!.root.outcome).toMatchObject({ kind: "transmit", time_us: 12 });
    expect(device.stats.drops.queue).toBe(1);
  });

  it("happen in a switch without a program", () => {
    const traces: PacketTrace[] = [];
    const clock = { now: () => 5, at: () => () => {} };
    const device = new Switch(undefined, {
      clock,
      transmit: () => {},
      trace: (packet) => traces.push(packet),
    });
    device.receive(3, fromHex("00")!);
    expect(traces).toEqual([
      {
        trace_version: 1,
        device: "switch",
        input: { packet_id: 0, ingress_port: 3, time_us: 5, packet_size: 1, bytes: "00" },
        root: { cause: "arrival", events: [], outcome: { kind: "drop", reason: "no_program" } },
      },
    ]);
    expect(device.stats.drops.program).toBe(1);
  });
});

describe("what leaves", () => {
  it("for the controller is reported as such, with the bytes that the program cuts", () => {
    const { trace } = startFeatures({ cpuPort: 10 });
    const { root } = trace("0a000b010203aabbcc");
    expect(eventsOf(root, "truncate")).toMatchObject([{ packet_size: 7 }]);
    expect(root.outcome).toMatchObject({ kind: "transmit", packet_in: true, bytes: "0a000b010203aa" });
  });
});

it("needs no P4Info", () => {
  const traces: PacketTrace[] = [];
  const clock = { now: () => 0, at: () => () => {} };
  const program = { bmv2: featuresProgram().bmv2, p4info: createP4Info() };
  const device = new Switch(program, { clock, transmit: () => {}, trace: (packet) => traces.push(packet) });
  device.receive(1, fromHex("01000a010203")!);
  const lookups = eventsOf(traces[0]!.root, "table_lookup").filter(({ hidden }) => !hidden);
  expect(lookups).toMatchObject([{ table_name: "TheIngress.routes", hit: false }]);
});
