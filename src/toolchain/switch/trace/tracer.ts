/** Records events of the current copy: traced code calls it (`s.tracer`), and so does the switch. */
import { defined, given, toHex } from "../../../base/index.js";
import type { Replica } from "../../device/index.js";
import type { bmv2 } from "../../program/index.js";
import { expressionText, fieldsOf, fieldText } from "../codegen/expression-text.js";
import type { Code, Specialised, Stage } from "../codegen/specialised.js";
import type { PointOf, TracePoint } from "../codegen/trace-points.js";
import type { Instance } from "../control/instance.js";
import type { MirrorSession } from "../flow/replication.js";
import type { TraceOutput } from "../options.js";
import type { PacketState } from "../state/packet-state.js";
import { FieldView, hexOf, numberOf } from "./fields.js";
import { lookupEvent, type Selected } from "./lookup-event.js";
import { primitiveEvent } from "./primitive-event.js";
import { type TraceNode, TraceRecorder } from "./recorder.js";
import type { PacketTrace, TraceEvent } from "./types.js";

/** A `hash` with more results than these is computed, even where a {@link Chooser} decides. */
const MAX_HASH_RESULTS = 64;

/** Decides where a packet's way depends on more than the packet and the tables. */
export interface Chooser {
  /** Before a lookup in the table with this number. */
  before(table: number): void;
  /** Place of the handle that a selector takes. */
  slot(slots: Int32Array): number;
  /** A number from `low` to `high`. */
  number(of: "random" | "hash", low: bigint, high: bigint): bigint;
}

function wide(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

export class PacketTracer extends TraceRecorder {
  onOutput: TraceOutput | undefined;
  readonly fields: FieldView;
  readonly #points: readonly TracePoint[];
  readonly #errors: ReadonlyMap<number, string>;
  /** Frames that left the deparser, until they have left the switch. */
  readonly #frames = new Map<Uint8Array, TraceNode>();
  readonly #egressSpec: number;
  /** Texts of the conditions that packets reached, by the number of their place. */
  readonly #conditions: { condition: string; references: bmv2.FieldRef[] }[] = [];
  #selected: Selected = {};
  #state: PacketState;

  /** @param specialised the traced variant of the instance's program */
  constructor(
    readonly instance: Instance,
    readonly specialised: Specialised,
    device: string,
    deliver: (packet: PacketTrace) => void,
    state: PacketState,
  ) {
    super(device, instance.program.bmv2.program, () => instance.clock.now(), deliver);
    this.fields = new FieldView(specialised.layout);
    this.#points = specialised.points ?? [];
    this.#errors = new Map(instance.program.bmv2.errors.map(([name, value]) => [value, name]));
    this.#state = state;
    this.#egressSpec = state.fields.egressSpec;
  }

  /** From now on the packet that is run is in that state. */
  enter(state: PacketState): void {
    this.#state = state;
    state.tracer = this;
  }

  #point<Kind extends TracePoint["kind"]>(number: number): PointOf<Kind> {
    return this.#points[number] as PointOf<Kind>;
  }

  extract(number: number, shift: number): void {
    const { phv } = this.#state;
    const { header } = this.#point<"extract">(number);
    const { name, fields } = this.fields.header(phv, header, shift);
    this.event({ kind: "extract", header: name, fields, packet_size: this.fields.size(phv, header, shift) });
    this.fields.look(phv);
  }

  advance(_number: number, bits: number): void {
    this.event({ kind: "advance", bits });
  }

  /** `words`: those of each part of the select's key. */
  transition(number: number, words: readonly (readonly number[])[]): void {
    const { from, to, key, choice } = this.#point<"transition">(number);
    const event: TraceEvent = { kind: "parser_transition", from_state: from, to_state: to ?? "accept" };
    if (choice !== undefined) {
      event.select_expression = key.map(({ text }) => text).join(", ");
      event.select_value = key
        .map(({ width }, i) => hexOf(numberOf(words[i]!, 0, words[i]!.length), width))
        .join(", ");
      event.select_case = choice;
    }
    this.event(event);
  }

  stop(number: number, error: number, left: number): void {
    const { state, reason } = this.#point<"stop">(number);
    this.event({
      kind: "parser_error",
      state,
      error: this.#errors.get(error) ?? String(error),
      reason: `${reason}, ${left} byte${left === 1 ? "" : "s"} left`,
    });
  }

  branch(number: number, taken: boolean): boolean {
    if (this.node === undefined) return taken;
    const { expression, source, verify } = this.#point<"branch">(number);
    this.#conditions[number] ??= {
      condition: source?.source_fragment || expressionText(expression),
      references: fieldsOf(expression),
    };
    const { condition, references } = this.#conditions[number];
    const values: [string, string][] = [];
    for (const reference of references) {
      const found = this.fields.field(this.#state.phv, reference);
      values.push([found.field, found.value]);
      // The value of a field of an invalid header has no meaning: the event says so.
      if (!this.fields.headerValid(this.#state.phv, reference))
        values.push([fieldText(reference[0], "$valid$"), "0x0"]);
    }
    const variable_values = Object.fromEntries(values);
    const source_info = source === undefined ? {} : { source_info: source };
    if (verify) this.event({ kind: "verify", condition, passed: taken, variable_values, ...source_info });
    else this.event({ kind: "branch", condition, taken, variable_values, ...source_info });
    return taken;
  }

  /** Decides in place of hashes, random numbers and time; undefined: they decide themselves. */
  chooser: Chooser | undefined;
  /** The result of a `hash` that the chooser took. */
  #assumed: number | undefined;

  /** A lookup in a table follows. */
  before(table: number): void {
    if (this.chooser !== undefined && this.node !== undefined) this.chooser.before(table);
  }

  /** Records the hash of a selector and the number of slots of its group; the result, modulo that number, is the slot. */
  hashed(hash: number, slots: Int32Array): number {
    if (this.chooser !== undefined && this.node !== undefined) {
      this.#selected = { slots: slots.length };
      return this.chooser.slot(slots);
    }
    this.#selected = { hash: hash >>> 0, slots: slots.length };
    return hash;
  }

  /** As `PacketState.randomBetween`. */
  drawn(scratch: Int32Array, lowLow: number, lowHigh: number, highLow: number, highHigh: number): boolean {
    const { chooser } = this;
    if (chooser === undefined || this.node === undefined)
      return this.#state.randomBetween(scratch, lowLow, lowHigh, highLow, highHigh);
    const low = wide(lowLow, lowHigh);
    const high = wide(highLow, highHigh);
    if (low > high) return false;
    const value = chooser.number("random", low, high);
    scratch[0] = Number(BigInt.asIntN(32, value));
    scratch[1] = Number(BigInt.asIntN(32, value >> 32n));
    return true;
  }

  /** What a `hash` leaves, modulo a number of two words; 0 and 1 leave one result. */
  reduced(rest: number, maxLow: number, maxHigh: number): number {
    const { chooser } = this;
    if (chooser === undefined || this.node === undefined || maxHigh !== 0) return rest;
    const max = maxLow >>> 0;
    if (max < 2 || max > MAX_HASH_RESULTS) return rest;
    this.#assumed = Number(chooser.number("hash", 0n, BigInt(max - 1)));
    return this.#assumed;
  }

  /** Handle of the member that was taken, or -1. */
  member(handle: number): void {
    this.#selected = { ...this.#selected, handle };
  }

  /** Six numbers and arrays, since generated code calls it for each lookup of a traced packet. */
  lookup(
    number: number,
    entry: number,
    keys: readonly number[],
    action: number,
    data: Int32Array,
    at: number,
  ): void {
    const selected = this.#selected;
    this.#selected = {};
    if (this.node === undefined) return;
    const { phv } = this.#state;
    const point = this.#point<"table">(number);
    const changes = this.fields.changes(phv, -1);
    this.event(
      lookupEvent(this.instance, this.fields, {
        phv,
        point,
        entry,
        keys,
        action,
        data,
        at,
        selected,
        changes,
      }),
    );
    this.fields.look(phv);
  }

  /** A primitive was run; `target` is the first word of the field it writes, or -1; `details` depend on the primitive. */
  did(number: number, target: number, ...details: readonly number[]): void {
    const { node } = this;
    if (node === undefined) return;
    const point = this.#point<"primitive">(number);
    const changes = this.fields.changes(this.#state.phv, target);
    const marks = /^(mark_to_)?drop$/.test(point.op);
    if (marks || target === this.#egressSpec) node.decided = point;
    if (/^(assert|assume)$/.test(point.op) && details[0] === 0) node.failed ??= point;
    const reported = this.#assumed === undefined ? details : [this.#assumed, 0];
    this.#assumed = undefined;
    const event = primitiveEvent(this.instance, this.#state, this.fields, { point, changes, reported });
    if (event !== undefined) this.event(event);
    this.fields.look(this.#state.phv);
  }

  /** v1model's log_msg. */
  message(format: string, values: readonly bigint[]): void {
    const state = this.#state;
    if (state.own.onLog !== undefined) state.log(format, values);
    let next = 0;
    const message = format.replace(/\{\}/g, () => String(values[next++] ?? ""));
    this.event({ kind: "log_message", message });
  }

  /** A checksum was computed; `right` counts only when it is verified. */
  checksum(number: number, computed: number, right: boolean): boolean {
    if (this.node === undefined) return right;
    const { checksum } = this.#point<"checksum">(number);
    const width = this.specialised.layout.field(...checksum.target)?.width ?? 16;
    const found = this.fields.field(this.#state.phv, checksum.target);
    this.event({
      kind: "checksum",
      operation: checksum.verify ? "verify" : "update",
      field: fieldText(...checksum.target),
      computed: hexOf(BigInt(computed >>> 0), width),
      found: found.value,
      ...given({ passed: checksum.verify ? right : undefined, source_info: checksum.source_info }),
    });
    return right;
  }

  digest(list: number): void {
    const found = this.instance.program.bmv2.learn_lists.find(({ id }) => id === list);
    if (found === undefined || this.node === undefined) return;
    const data = found.elements.flatMap((element) =>
      element.type === "field" ? [this.fields.field(this.#state.phv, element.value)] : [],
    );
    this.event({ kind: "digest", digest: found.name, data });
  }

  cloneSession(id: number, session: MirrorSession | undefined): void {
    const event: TraceEvent = {
      kind: "clone_session_lookup",
      session_id: id,
      session_found: session !== undefined,
    };
    if (session !== undefined) event.replica_count = session.replicas.length;
    if (session !== undefined && session.lengthLimit > 0) event.packet_length_bytes = session.lengthLimit;
    this.event(event);
  }

  multicast(group: number, found: boolean, replicas: readonly Replica[]): void {
    this.event({
      kind: "multicast_group_lookup",
      multicast_group_id: group,
      group_found: found,
      replica_count: replicas.length,
      replicas: replicas.map(({ port, instance }) => ({ egress_port: port, instance })),
    });
  }

  queued(node: TraceNode | undefined): void {
    if (node !== undefined) node.queuedAt = this.time();
  }

  /** True: the frame shall not leave, since it was only tried. */
  transmitted(port: number, frame: Uint8Array, toController: boolean): boolean {
    const tried = this.chooser !== undefined;
    const node = this.#take(frame);
    // most frames, where a filter chooses which ones are traced
    if (node === undefined) return tried;
    this.onOutput?.(node.packet.input, port, frame);
    this.end(node, {
      kind: "transmit",
      egress_port: port,
      packet_size: frame.length,
      time_us: this.time(),
      bytes: toHex(frame),
      ...given({ packet_in: toController ? true : undefined }),
    });
    return tried;
  }

  /** The port of a frame that leaves is down. */
  stranded(port: number, frame: Uint8Array): void {
    this.drop(this.#take(frame), "port_down", { egress_port: port });
  }

  #take(frame: Uint8Array): TraceNode | undefined {
    const node = this.#frames.get(frame);
    this.#frames.delete(frame);
    return node;
  }

  override close(): void {
    super.close();
    this.#frames.clear();
  }

  /** `port`: the one that the packet leaves by, where the stage is the egress control. */
  #stage(name: string, kind: "PARSER" | "CONTROL", port?: number): void {
    const { node } = this;
    if (node === undefined) return;
    node.stage = name;
    const { phv } = this.#state;
    this.fields.look(phv);
    const event: TraceEvent = { kind: "pipeline_stage", stage_name: name, stage_kind: kind };
    if (port !== undefined) {
      node.decided = undefined;
      event.egress_port = port;
      event.time_us = this.time();
      if (node.queuedAt !== undefined) event.queued_us = Math.max(0, event.time_us - node.queuedAt);
    }
    this.event(event);
  }

  #emitted(limit: number, order = this.specialised.program.deparsers[0]?.order ?? []): void {
    const { node } = this;
    if (node === undefined) return;
    node.stage = "deparser";
    const { phv, start, end } = this.#state;
    const headers = order.flatMap((name) => {
      const slot = this.specialised.layout.headers.get(name)!;
      return phv[slot.valid] === 1 ? [{ header: name, packet_size: this.fields.size(phv, slot) }] : [];
    });
    const size = headers.reduce((sum, { packet_size }) => sum + packet_size, 0) + end - start;
    this.event({ kind: "pipeline_stage", stage_name: "deparser", stage_kind: "DEPARSER" });
    this.event({
      kind: "deparser_emit",
      headers,
      payload_size: end - start,
      packet_size: size,
      ...given({ cut_to: size > limit ? limit : undefined }),
    });
  }

  /** The functions of the program; each records its stage. */
  wrap(): Code {
    const { code, program } = this.specialised;
    const parser = program.parsers[0]?.name ?? "parser";
    const verifies = program.checksums.some(({ verify }) => verify);
    const updates = program.checksums.some(({ update }) => update);
    return {
      clear: code.clear,
      clearPairs: code.clearPairs,
      parse: (state) => {
        this.#stage(parser, "PARSER");
        return code.parse(state);
      },
      verifyChecksums: (state) => {
        if (verifies) this.#stage("verify_checksum", "CONTROL");
        return code.verifyChecksums(state);
      },
      ingress: (state) => {
        this.#stage("ingress", "CONTROL");
        code.ingress(state);
      },
      egress: (state) => {
        this.#stage("egress", "CONTROL", state.phv[state.fields.egressPort]!);
        code.egress(state);
      },
      updateChecksums: (state) => {
        if (updates) this.#stage("update_checksum", "CONTROL");
        code.updateChecksums(state);
      },
      deparse: (state, limit) => {
        this.fields.look(state.phv);
        const frame = code.deparse(state, limit);
        this.#emitted(limit);
        // A packet that recirculates is not transmitted.
        if (this.node !== undefined && state.recirculate === 0) this.#frames.set(frame, this.node);
        return frame;
      },
      copyFieldList: code.copyFieldList,
      makeOwn: code.makeOwn,
      ghosts: code.ghosts,
      stages: code.stages.map((stage, number) => this.#wrapStage(stage, number)),
    };
  }

  #wrapStage(stage: Stage, number: number): Stage {
    const { program } = this.specialised;
    const { architecture, portable } = program;
    const gresses = architecture?.pipes.flatMap(({ ingress, egress }) => [ingress, egress]);
    const { parsers, pipeline, deparser } = defined((gresses ?? portable?.stages)?.[number]);
    const control = defined(program.pipelines[pipeline]).name;
    const isEgress = number % 2 === 1;
    return {
      ...stage,
      parsers: stage.parsers.map((parse, i) => (state) => {
        this.#stage(defined(program.parsers[defined(parsers[i])]).name, "PARSER");
        return parse(state);
      }),
      control: (state) => {
        this.#stage(control, "CONTROL", isEgress ? state.egressPort : undefined);
        stage.control(state);
      },
      emit: (state, limit) => {
        this.fields.look(state.phv);
        const frame = stage.emit(state, limit);
        this.#emitted(limit, defined(program.deparsers[deparser]).order);
        return frame;
      },
    };
  }

  /** A frame that is about to leave the switch. */
  leaves(frame: Uint8Array): void {
    if (this.node !== undefined) this.#frames.set(frame, this.node);
  }
}
