/**
 * One path of a packet through simple_switch: parser, ingress, its requests, egress, its requests, deparser (as switch/flow/simple-switch.ts). Where the packet
 * becomes several, a path follows one of them: the packet itself, its clone, the copy of a multicast group with one member.
 */
import type { bmv2 } from "../program/index.js";
import type { Term } from "../solver/index.js";
import { Aborted, Actions } from "./actions.js";
import { runControl } from "./control.js";
import { addCopy, deparsed, followsCopy } from "./copies.js";
import { PORT, PORT_BITS } from "./environment.js";
import { Expressions } from "./expressions.js";
import { calculate } from "./hashes.js";
import { Memory, Shapes } from "./memory.js";
import { Packet } from "./packet.js";
import { type Parsed, Parser } from "./parser.js";
import { noRequests, Pass, type Shared, valueSetsOf } from "./pass.js";
import { Unhandled } from "./unhandled.js";

const INSTANCE = {
  normal: 0,
  ingressClone: 1,
  egressClone: 2,
  recirculated: 4,
  replicated: 5,
  resubmitted: 6,
};

export type Outcome =
  | { readonly kind: "dropped" }
  /** `front`: the headers; `rest`: the first byte of the packet that came in that follows. */
  | { readonly kind: "sent"; readonly port: Term; readonly front: Term; readonly rest: number };

const DROPPED: Outcome = { kind: "dropped" };

/** Metadata that one pass hands to another: by header and field. */
type Kept = readonly (readonly [header: string, field: string, value: Term])[];

interface Arrival {
  readonly packet: Packet;
  readonly instance: number;
  readonly kept: Kept;
  readonly pass: number;
}

export class Machine {
  readonly #shapes: Shapes;

  constructor(readonly shared: Shared) {
    this.#shapes = new Shapes(shared.plan.program);
  }

  run(): Outcome {
    const packet = Packet.arriving(this.shared.terms);
    try {
      return this.#ingress({ packet, instance: INSTANCE.normal, kept: [], pass: 1 });
    } catch (error) {
      if (error instanceof Aborted) return DROPPED;
      throw error;
    }
  }

  #memory(kept: Kept): Memory {
    const { terms, environment } = this.shared;
    const memory = new Memory(terms, this.#shapes, (header, field) => {
      if (environment.leftOut !== undefined) this.shared.situation.leftOut.add(environment.leftOut.unwritten);
      return environment.unwritten(header, field);
    });
    for (const [header, field, value] of kept) memory.set(header, field, value);
    return memory;
  }

  #pipeline(name: string): bmv2.Pipeline | undefined {
    return this.shared.plan.program.pipelines.find((pipeline) => pipeline.name === name);
  }

  #set(memory: Memory, field: string, value: Term): void {
    memory.setIfThere("standard_metadata", field, value);
  }

  #number(memory: Memory, field: string, value: number): void {
    this.#set(memory, field, this.shared.terms.constant(value, 32));
  }

  #time(memory: Memory, header: string, field: string): void {
    memory.setIfThere(header, field, this.shared.environment.outside(`${header}.${field}`, 48));
  }

  #arrive(arrival: Arrival): { memory: Memory; parsed: Parsed; pass: Pass } {
    const { terms, chooser, plan } = this.shared;
    const { packet } = arrival;
    const memory = this.#memory(arrival.kept);
    this.#set(memory, "ingress_port", terms.variable(PORT, PORT_BITS));
    this.#set(memory, "packet_length", packet.length);
    this.#number(memory, "instance_type", arrival.instance);
    this.#time(memory, "intrinsic_metadata", "ingress_global_timestamp");
    const early = new Pass(this.shared, memory, packet.rest, packet.length);
    const actions = new Actions(early);
    const parser = new Parser({
      ...{ program: plan.program, memory, chooser, packet },
      primitive: (primitive) => actions.one(primitive),
      valueSets: valueSetsOf(this.shared),
    });
    const parsed = parser.run(plan.program.parsers[0]);
    this.#set(memory, "parser_error", parsed.error);
    const payload = packet.arrivedBytes(parsed.bytes);
    return { memory, parsed, pass: new Pass(this.shared, memory, payload, early.length) };
  }

  #ingress(arrival: Arrival): Outcome {
    const { terms, chooser } = this.shared;
    const { packet } = arrival;
    chooser.pass = arrival.pass;
    const { memory, parsed, pass } = this.#arrive(arrival);
    const before = memory.copy();
    this.#set(memory, "checksum_error", this.#verify(memory, pass));
    runControl(this.#pipeline("ingress"), pass);
    const { requests } = pass;
    if (requests.clone !== undefined && followsCopy(this.shared, "clone")) {
      const clone = this.#ofClone(before, memory, requests.cloneList, INSTANCE.ingressClone);
      return this.#copy("session", requests.clone, clone, pass, packet, parsed);
    }
    if (requests.resubmit !== 0) {
      const kept = this.#kept(memory, requests.resubmit);
      return this.#again({ packet, instance: INSTANCE.resubmitted, kept, pass: arrival.pass + 1 });
    }
    if (memory.field("intrinsic_metadata", "mcast_grp") !== undefined) {
      const group = memory.get("intrinsic_metadata", "mcast_grp");
      if (pass.branch("multicast", terms.nonZero(group))) {
        this.#number(memory, "instance_type", INSTANCE.replicated);
        return this.#copy("group", group, memory, pass, packet, parsed);
      }
    }
    const port = memory.get("standard_metadata", "egress_spec");
    if (pass.branch("drop", terms.equal(port, terms.constant(pass.dropPort, port.width)))) return DROPPED;
    this.#number(memory, "instance_type", INSTANCE.normal);
    return this.#egress(memory, port, pass, { packet, parsed, number: arrival.pass });
  }

  #again(arrival: Arrival): Outcome {
    if (arrival.pass > this.shared.environment.passes)
      throw new Unhandled(`more than ${this.shared.environment.passes} passes of one packet`);
    return this.#ingress(arrival);
  }

  #kept(memory: Memory, list: number): Kept {
    const found = this.shared.plan.program.field_lists.find(({ id }) => id === list);
    return (found?.elements ?? []).flatMap((element) =>
      element.type === "field" ? [[...element.value, memory.get(...element.value)] as const] : [],
    );
  }

  #ofClone(headers: Memory, memory: Memory, list: number, instance: number): Memory {
    const kept = this.#kept(memory, list);
    const clone = headers.copy();
    clone.clearMetadata();
    for (const [header, field, value] of kept) clone.set(header, field, value);
    this.#number(clone, "instance_type", instance);
    return clone;
  }

  /** The one copy of a group or session that the path makes. */
  #copy(
    kind: "group" | "session",
    id: Term,
    memory: Memory,
    pass: Pass,
    packet: Packet,
    parsed: Parsed,
  ): Outcome {
    const { port, instance } = addCopy(this.shared, kind, id);
    memory.setIfThere("intrinsic_metadata", "egress_rid", instance);
    return this.#egress(memory, port, pass, { packet, parsed, number: this.shared.environment.passes });
  }

  #egress(
    memory: Memory,
    port: Term,
    ingress: Pass,
    from: { packet: Packet; parsed: Parsed; number: number },
  ): Outcome {
    const { terms } = this.shared;
    this.#time(memory, "intrinsic_metadata", "egress_global_timestamp");
    for (const field of ["enq_timestamp", "enq_qdepth", "deq_timedelta", "deq_qdepth", "qid"])
      this.#time(memory, "queueing_metadata", field);
    this.#set(memory, "egress_port", port);
    this.#number(memory, "egress_spec", 0);
    this.#set(memory, "packet_length", ingress.length);
    const pass = new Pass(this.shared, memory, ingress.payload, ingress.length);
    runControl(this.#pipeline("egress"), pass);
    if (pass.requests.clone !== undefined && followsCopy(this.shared, "egress clone")) {
      const clone = this.#ofClone(memory, memory, pass.requests.cloneList, INSTANCE.egressClone);
      const id = pass.requests.clone;
      pass.requests = noRequests();
      return this.#copy("session", id, clone, pass, from.packet, from.parsed);
    }
    const spec = memory.get("standard_metadata", "egress_spec");
    if (pass.branch("egress drop", terms.equal(spec, terms.constant(pass.dropPort, spec.width))))
      return DROPPED;
    this.#update(memory, pass);
    const whole = deparsed(memory, this.shared.plan.program.deparsers[0]?.order ?? [], from);
    const { front, rest } = whole;
    if (pass.requests.recirculate === 0) return { kind: "sent", port, front, rest };
    const kept = this.#kept(memory, pass.requests.recirculate);
    return this.#again({ packet: whole, instance: INSTANCE.recirculated, kept, pass: from.number + 1 });
  }

  /** 1 at the first checksum that is wrong. */
  #verify(memory: Memory, pass: Pass): Term {
    const { terms } = this.shared;
    for (const checksum of this.shared.plan.program.checksums) {
      if (!checksum.verify || !this.#applies(checksum, memory, pass)) continue;
      if (!memory.isValid(checksum.target[0])) continue;
      const sum = pass.calculated(calculate(pass.calculation(checksum.calculation), pass.source));
      const field = memory.get(...checksum.target);
      const width = Math.max(sum.width, field.width);
      const equal = terms.equal(terms.extend(sum, width), terms.extend(field, width));
      if (!pass.branch(`${checksum.name} right`, equal)) return terms.constant(1, 1);
    }
    return terms.constant(0, 1);
  }

  #applies({ name, if_cond }: bmv2.Checksum, memory: Memory, pass: Pass): boolean {
    if (if_cond === null) return true;
    const expressions = new Expressions({ memory, chooser: this.shared.chooser });
    return pass.branch(`${name} applies`, expressions.condition(if_cond));
  }

  #update(memory: Memory, pass: Pass): void {
    for (const checksum of this.shared.plan.program.checksums) {
      if (!checksum.update || !this.#applies(checksum, memory, pass)) continue;
      const sum = pass.calculated(calculate(pass.calculation(checksum.calculation), pass.source));
      memory.setIfThere(...checksum.target, sum);
    }
  }
}
