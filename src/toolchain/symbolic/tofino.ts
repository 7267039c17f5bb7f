/**
 * One path of a packet through a Tofino: ingress parser, ingress, its deparser, traffic manager, egress parser, egress, its deparser (as switch/flow/tofino.ts).
 * Between ingress and egress a packet is bits. Where it becomes several, a path follows one of them: the packet, its mirror, the copy of a multicast group.
 */
import { defined } from "../../base/index.js";
import type { bmv2 } from "../program/index.js";
import type { Term } from "../solver/index.js";
import { errorBits } from "../switch/index.js";
import { Aborted, Actions } from "./actions.js";
import { runControl } from "./control.js";
import { addCopy, deparsed, followsCopy } from "./copies.js";
import { PORT, PORT_BITS, TIME, TIME_BITS } from "./environment.js";
import type { Outcome } from "./machine.js";
import { Memory, Shapes } from "./memory.js";
import { LENGTH, LENGTH_BITS, Packet } from "./packet.js";
import { type Parsed, Parser } from "./parser.js";
import { Pass, type Shared, valueSetsOf } from "./pass.js";
import { egressFront, ingressFront, type Wishes } from "./tofino-front.js";
import { Unhandled } from "./unhandled.js";

const DROPPED: Outcome = { kind: "dropped" };

/** `ucast_egress_port` of a packet for which ingress chose no port. */
const NO_PORT = 511;

/** Numbers of the bits of `drop_ctl`: what does not happen. */
const DROP = { packet: 0, mirror: 2 };

/** The frame check sequence, zeros: a parser of ingress can read it, and lengths count it. */
const CHECK_BYTES = 4;

const PORTS_OF_PARSER = 4;
const PIPE_BITS = 7;

interface Arrival {
  readonly packet: Packet;
  readonly port: Term;
  /** Of a resubmission. */
  readonly data: Term | undefined;
  readonly pass: number;
}

interface Leaving {
  readonly packet: Packet;
  readonly port: Term;
  readonly wishes: Wishes;
  readonly pass: number;
}

/** A packet behind a gress, before its deparser emits it. */
interface Gone {
  readonly memory: Memory;
  readonly pass: Pass;
  /** As the parser got it, and what it passed. */
  readonly packet: Packet;
  readonly parsed: Parsed;
  readonly gress: bmv2.GressInfo;
  /** Bytes of the check sequence that the parser has passed. */
  readonly checkBytes: number;
}

export class Tofino {
  readonly #shapes: Shapes;
  readonly #architecture: bmv2.ArchitectureInfo;
  readonly #errors: Int32Array;
  readonly #time: Term;
  /** Whether a port has led the packet back to ingress. */
  #cameBack = false;

  constructor(readonly shared: Shared) {
    const { program } = shared.plan;
    this.#shapes = new Shapes(program);
    this.#architecture = defined(program.architecture);
    this.#errors = errorBits(program.errors);
    this.#time = shared.environment.outside(TIME, TIME_BITS);
  }

  run(): Outcome {
    const { terms } = this.shared;
    const packet = Packet.arriving(terms);
    try {
      return this.#ingress({ packet, port: terms.variable(PORT, PORT_BITS), data: undefined, pass: 1 });
    } catch (error) {
      if (error instanceof Aborted) return DROPPED;
      throw error;
    }
  }

  #branch(label: string, condition: Term): boolean {
    const { chooser, terms } = this.shared;
    const ways = [
      { label: `${label} true`, condition },
      { label: `${label} false`, condition: terms.not(condition) },
    ];
    return chooser.choose(ways) === 0;
  }

  /** Which of several things that ports take in turns a port has. */
  #ofPort(label: string, count: number, number: Term): number {
    if (count === 1) return 0;
    const { chooser, terms } = this.shared;
    const rest = terms.remainder(number, terms.constant(count, number.width));
    return chooser.choose(
      Array.from({ length: count }, (_, i) => ({
        label: `${label} ${i}`,
        condition: terms.equal(rest, terms.constant(i, rest.width)),
      })),
    );
  }

  #pipeOf(port: Term): bmv2.PipeInfo {
    const { terms } = this.shared;
    const { pipes } = this.#architecture;
    const number = terms.extend(terms.slice(port, PIPE_BITS, PORT_BITS - PIPE_BITS), 8);
    return defined(pipes[this.#ofPort("pipe", pipes.length, number)]);
  }

  #parserOf({ parsers }: bmv2.GressInfo, port: Term): number {
    const { terms } = this.shared;
    const group = terms.slice(port, Math.log2(PORTS_OF_PARSER), PIPE_BITS - Math.log2(PORTS_OF_PARSER));
    return this.#ofPort("parser", parsers.length, terms.extend(group, 8));
  }

  /** A field of the intrinsic metadata; 0 where the program does not name it. */
  #field(memory: Memory, { fields }: bmv2.GressInfo, name: string, width: number): Term {
    const { terms } = this.shared;
    const field = fields[name];
    if (field === undefined || memory.field(...field) === undefined) return terms.constant(0, width);
    const value = memory.get(...field);
    return value.width < width ? terms.extend(value, width) : terms.slice(value, 0, width);
  }

  #set(memory: Memory, { fields }: bmv2.GressInfo, name: string, value: number | Term): void {
    const field = fields[name];
    const term = typeof value === "number" ? this.shared.terms.constant(value, 64) : value;
    if (field !== undefined) memory.setIfThere(...field, term);
  }

  /** Runs the parser, the control and the statements of the deparser; undefined: the packet has an error that drops it. */
  #gress(gress: bmv2.GressInfo, parserNumber: number, packet: Packet, isIngress: boolean): Gone | undefined {
    const { terms, chooser, plan } = this.shared;
    const { program } = plan;
    const memory = new Memory(terms, this.#shapes, (_, { width }) => terms.constant(0, width));
    if (isIngress) this.#set(memory, gress, "tm.ucast_egress_port", NO_PORT);
    this.#set(memory, gress, "parser.global_tstamp", this.#time);
    const early = new Actions(new Pass(this.shared, memory, 0, terms.constant(0, 32)));
    const parsed = new Parser({
      ...{ program, memory, chooser, packet, checkBytes: isIngress ? CHECK_BYTES : 0 },
      primitive: (primitive) => early.one(primitive),
      valueSets: valueSetsOf(this.shared),
    }).run(program.parsers[defined(gress.parsers[parserNumber])]);
    const error = this.#errors[Number(parsed.error.value)] ?? 0;
    if (isIngress && error !== 0 && !gress.seesErrors) return undefined;
    this.#set(memory, gress, "parser.parser_err", error);
    const checkBytes = isIngress ? this.#passedCheckBytes(packet.arrivedBytes(parsed.bytes)) : 0;
    const bits = (from: number) => packet.bits(8 * from, 8 * Math.max(0, parsed.bytes - from));
    const pass = new Pass(this.shared, memory, packet.arrivedBytes(parsed.bytes), packet.length, bits);
    runControl(program.pipelines[gress.pipeline], pass);
    new Actions(pass).run(defined(program.deparsers[gress.deparser]).primitives ?? [], []);
    return { memory, pass, packet, parsed, gress, checkBytes };
  }

  /** How many bytes a parser that has passed so many bytes of the packet that came in took of the check sequence behind it. */
  #passedCheckBytes(bytes: number): number {
    if (bytes <= 0) return 0;
    const { terms, chooser } = this.shared;
    const length = terms.variable(LENGTH, LENGTH_BITS);
    const number = (value: number) => terms.constant(Math.max(0, value), LENGTH_BITS);
    const ways = [{ label: "", condition: terms.not(terms.less(length, number(bytes))) }];
    for (let count = 1; count <= Math.min(bytes, CHECK_BYTES); count++)
      ways.push({ label: "check sequence parsed", condition: terms.equal(length, number(bytes - count)) });
    return chooser.choose(ways, "first");
  }

  #ingress(arrival: Arrival): Outcome {
    const { packet, port } = arrival;
    this.shared.chooser.pass = arrival.pass;
    const { ingress } = this.#pipeOf(port);
    const number = this.#parserOf(ingress, port);
    const gone = this.#gress(ingress, number, this.#arriving(arrival, ingress, number), true);
    if (gone === undefined) return DROPPED;
    const { memory, pass } = gone;
    const { mirror, resubmitData } = pass.requests;
    if (mirror !== undefined && !this.#drops(gone, "mirror") && followsCopy(this.shared, "mirror"))
      return this.#mirror(mirror, packet, arrival.pass);
    const isDropped = this.#drops(gone, "packet");
    if (resubmitData !== undefined && !isDropped)
      return this.#again({ packet, port, data: resubmitData, pass: arrival.pass + 1 });
    if (isDropped) return DROPPED;
    return this.#manage(gone, memory, arrival);
  }

  /** The packet with the metadata in front that the parser finds. */
  #arriving({ packet, port, data }: Arrival, ingress: bmv2.GressInfo, parser: number): Packet {
    if (ingress.skipsIntrinsic) return packet;
    const { terms } = this.shared;
    const behind = data ?? this.#portMetadata(ingress, parser, port);
    const front = ingressFront(terms, this.#architecture.name, {
      port,
      time: this.#time,
      isResubmitted: data !== undefined,
      behind,
    });
    return new Packet(terms, terms.concat(front, packet.front), packet.rest);
  }

  /** A register's cell, with zeros behind it up to a whole byte. */
  #portMetadata({ portMetadata = [] }: bmv2.GressInfo, parser: number, port: Term): Term {
    const { terms, plan, registers } = this.shared;
    const name = portMetadata[parser % Math.max(1, portMetadata.length)];
    const register = name === undefined ? undefined : plan.registers.get(name);
    if (register === undefined) return terms.constant(0, 0);
    const { bitwidth } = register;
    const cell = registers.read(register.name, terms.extend(port, 32), bitwidth);
    return terms.concat(cell, terms.constant(0, (8 - (bitwidth % 8)) % 8));
  }

  #drops({ memory, gress }: Gone, what: keyof typeof DROP): boolean {
    const { terms } = this.shared;
    const control = this.#field(memory, gress, "deparser.drop_ctl", 3);
    return this.#branch(`drop ${what}`, terms.slice(control, DROP[what], 1));
  }

  #again(arrival: Arrival): Outcome {
    const { chooser, environment } = this.shared;
    const { passes } = environment;
    if (arrival.pass <= passes) return this.#ingress(arrival);
    chooser.wantOther();
    throw new Unhandled(`more than ${passes} passes of one packet`);
  }

  /** The traffic manager: groups, then the port. */
  #manage(gone: Gone, memory: Memory, arrival: Arrival): Outcome {
    const { terms } = this.shared;
    const { gress } = gone;
    const packet = this.#emitted(gone);
    const wishes: Wishes = {
      rid: terms.constant(0, 16),
      isFirst: false,
      queue: this.#field(memory, gress, "tm.qid", 8),
      serviceClass: this.#field(memory, gress, "tm.ingress_cos", 8),
      length: this.#lengthOf(arrival.packet),
    };
    const bypasses = this.#field(memory, gress, "tm.bypass_egress", 1);
    const leave = (port: Term, more: Wishes) => {
      const leaving = { packet, port, wishes: more, pass: arrival.pass };
      return this.#branch("bypass_egress", bypasses) ? this.#out(leaving) : this.#egress(leaving);
    };
    for (const name of ["mcast_grp_a", "mcast_grp_b"]) {
      const group = this.#field(memory, gress, `tm.${name}`, 16);
      if (!this.#branch(name, terms.nonZero(group)) || !followsCopy(this.shared, name)) continue;
      const { port, instance } = addCopy(this.shared, "group", group);
      return leave(port, { ...wishes, rid: instance, isFirst: true });
    }
    const port = this.#field(memory, gress, "tm.ucast_egress_port", PORT_BITS);
    if (gress.fields["tm.ucast_egress_port"] === undefined) return DROPPED;
    if (this.#branch("no port", terms.equal(port, terms.constant(NO_PORT, PORT_BITS)))) return DROPPED;
    return leave(port, wishes);
  }

  #lengthOf(packet: Packet): Term {
    const { terms } = this.shared;
    return terms.slice(terms.add(packet.length, terms.constant(CHECK_BYTES, 32)), 0, 16);
  }

  #mirror({ session, data }: { session: Term; data: Term }, packet: Packet, pass: number): Outcome {
    const { terms } = this.shared;
    const copy = new Packet(terms, terms.concat(data, packet.front), packet.rest);
    const { port } = addCopy(this.shared, "session", session);
    const none = terms.constant(0, 8);
    const wishes = {
      rid: terms.constant(0, 16),
      isFirst: false,
      queue: none,
      serviceClass: none,
      length: this.#lengthOf(copy),
    };
    return this.#egress({ packet: copy, port, wishes, pass });
  }

  #egress({ packet, port, wishes, pass }: Leaving): Outcome {
    const { terms } = this.shared;
    const { egress } = this.#pipeOf(port);
    const front = egress.skipsIntrinsic
      ? terms.constant(0, 0)
      : egressFront(terms, this.#architecture.name, { port, time: this.#time, wishes });
    const whole = new Packet(terms, terms.concat(front, packet.front), packet.rest);
    const gone = defined(this.#gress(egress, this.#parserOf(egress, port), whole, false));
    const { mirror } = gone.pass.requests;
    const emitted = this.#emitted(gone);
    if (mirror !== undefined && !this.#drops(gone, "mirror") && followsCopy(this.shared, "egress mirror"))
      return this.#mirror(mirror, emitted, pass);
    if (this.#drops(gone, "packet")) return DROPPED;
    return this.#out({ packet: emitted, port, wishes, pass });
  }

  /**
   * Ports 68 to 71 of each pipe lead back to ingress. The first one that a packet comes to leads out where the packet would go round for longer than paths are
   * followed, as in packet tests that expect a packet there.
   */
  #out({ packet, port, pass }: Leaving): Outcome {
    const { terms, chooser } = this.shared;
    const isBack = terms.equal(terms.slice(port, 2, 5), terms.constant(68 >> 2, 5));
    if (
      this.#branch("recirculation", isBack) &&
      (this.#cameBack || chooser.chooseFirst("recirculation back", "recirculation out"))
    ) {
      this.#cameBack = true;
      return this.#again({ packet, port, data: undefined, pass: pass + 1 });
    }
    return { kind: "sent", port, front: packet.front, rest: packet.rest };
  }

  /** Of the check sequence nothing follows. */
  #emitted({ memory, packet, parsed, gress, checkBytes }: Gone): Packet {
    const { order } = defined(this.shared.plan.program.deparsers[gress.deparser]);
    const { terms, front, rest } = deparsed(memory, order, { packet, parsed });
    return new Packet(terms, front, rest - checkBytes);
  }
}
