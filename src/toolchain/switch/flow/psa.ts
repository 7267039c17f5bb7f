/**
 * The path of a packet through the Portable Switch Architecture: ingress parser, ingress, ingress deparser, replication and queues, egress
 * parser, egress, egress deparser (PSA specification 1.1, section 6; BMv2, `targets/psa_switch/psa_switch.cpp`). Between ingress and egress a
 * packet is bytes: what the deparser emitted. `docs/portable.md` has the rules.
 */
import type { Replica } from "../../device/index.js";
import { EXTERN_STATE } from "../../program/index.js";
import { NO_LIMIT } from "../state/packet-state.js";
import type { ForwarderParts } from "./forwarder.js";
import type { PacketCopy } from "./packet-copy.js";
import { Portable } from "./portable.js";
import type { Workspaces } from "./workspace.js";

/** `PSA_PacketPath_t`. */
const PATH = {
  normal: 0,
  unicast: 1,
  multicast: 2,
  cloneI2E: 3,
  cloneE2E: 4,
  resubmit: 5,
  recirculate: 6,
} as const;

/** `PSA_PORT_RECIRCULATE`. */
const RECIRCULATE = 0xfffffffa;

const INGRESS = 0;
const EGRESS = 1;

/** A packet as it comes to ingress. */
interface Arrived {
  readonly port: number;
  readonly frame: Uint8Array;
  readonly ownsFrame: boolean;
}

export class Psa extends Portable {
  readonly #at: Places;

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    super(parts, workspaces);
    this.#at = placesOf(parts.specialised);
  }

  protected enter(port: number, frame: Uint8Array, ownsFrame: boolean): void {
    const { state } = this;
    state.phv = state.main;
    this.code.clear(state.phv);
    this.#ingress({ port: this.named(port), frame, ownsFrame }, PATH.normal);
  }

  protected reenter({ port, frame, ownsFrame, phv }: PacketCopy): void {
    const { state } = this;
    const path = phv[this.#at.ingress.parserPath]!;
    state.phv = state.main;
    state.phv.set(phv);
    this.#ingress({ port, frame, ownsFrame }, path);
  }

  #ingress(arrived: Arrived, path: number): void {
    const { state } = this;
    const at = this.#at.ingress;
    const stage = this.code.stages[INGRESS]!;
    this.begin(arrived.frame, arrived.ownsFrame);
    const { phv } = state;
    phv[at.parserPort] = arrived.port;
    phv[at.parserPath] = path;
    this.putTime(at.time);
    const error = stage.parsers[0]!(state);
    phv[at.port] = arrived.port;
    phv[at.path] = path;
    phv[at.error] = error;
    phv[at.serviceClass] = 0;
    phv[at.clone] = 0;
    phv[at.drop] = 1;
    phv[at.resubmit] = 0;
    phv[at.group] = 0;
    stage.control(state);
    if (this.aborted()) return;
    const isDropped = phv[at.drop] !== 0;
    const isCloned = phv[at.clone] !== 0;
    // The statements of the deparser fill what the copies take along.
    if (!isDropped || isCloned) stage.prepare(state, phv);
    this.sendDigest();
    if (isCloned) this.#clone("ingress_clone", arrived.frame, phv[at.session]!);
    if (isDropped) this.drop("ingress");
    else if (phv[at.resubmit] !== 0) this.#again("resubmit", arrived);
    else this.#forward(stage.emit(state, NO_LIMIT));
  }

  /** One more pass of ingress, with nothing but what the path takes along. */
  #again(how: "resubmit" | "recirculate", { port, frame, ownsFrame }: Arrived): void {
    const { ingress, lists } = this.#at;
    const copy = this.copyOf(frame, ownsFrame);
    copy.phv.fill(0);
    this.code.copyFieldList(copy.phv, this.state.phv, lists[how]);
    copy.phv[ingress.parserPath] = how === "resubmit" ? PATH.resubmit : PATH.recirculate;
    copy.port = port;
    copy.node = this.tracer?.fork(how);
    this.tracer?.forked(how);
    this.goAgain(copy);
  }

  /** What ingress emitted goes to a group or a port, with all metadata. */
  #forward(frame: Uint8Array): void {
    const { phv } = this.state;
    const { ingress, egress } = this.#at;
    const serviceClass = phv[ingress.serviceClass]!;
    const group = phv[ingress.group]! >>> 0;
    phv[egress.serviceClass] = serviceClass;
    if (group === 0) {
      phv[egress.instance] = 0;
      phv[egress.parserPath] = PATH.unicast;
      this.send(this.portOf(phv[ingress.outPort]! >>> 0), frame, serviceClass);
      return;
    }
    const replicas = this.replication.replicas(group);
    this.tracer?.multicast(group, this.replication.groups.has(group), replicas);
    if (replicas.length === 0) {
      this.stats.dropped++;
      this.stats.drops.replication++;
    }
    phv[egress.parserPath] = PATH.multicast;
    for (const replica of replicas) this.#replica(frame, replica, serviceClass);
    this.tracer?.forked("multicast", group);
  }

  protected passOn(port: number, frame: Uint8Array): Uint8Array | undefined {
    return this.#egress(port, frame, true);
  }

  #replica(frame: Uint8Array, { port, instance }: Replica, serviceClass: number): void {
    const copy = this.copyOf(frame, false);
    copy.phv[this.#at.egress.instance] = instance & 0xffff;
    copy.node = this.tracer?.fork("replica", port, instance);
    this.queue(copy, this.portOf(port), this.lineOf(serviceClass));
  }

  /** Copies of bytes go to the ports of a session, through egress, with nothing but what the path takes along. */
  #clone(cause: "ingress_clone" | "egress_clone", packet: Uint8Array, session: number): void {
    const { state } = this;
    const { egress, lists } = this.#at;
    const isFromIngress = cause === "ingress_clone";
    // The packet goes on, and its bytes with it.
    state.ownsFrame = false;
    this.clone(cause, packet, session, ({ phv }, { classOfService }, instance) => {
      phv.fill(0);
      this.code.copyFieldList(phv, state.phv, isFromIngress ? lists.cloneI2E : lists.cloneE2E);
      phv[egress.parserPath] = isFromIngress ? PATH.cloneI2E : PATH.cloneE2E;
      phv[egress.serviceClass] = classOfService;
      phv[egress.instance] = instance & 0xffff;
    });
  }

  protected leave(copy: PacketCopy): Uint8Array | undefined {
    const { state } = this;
    const { port, phv, frame, ownsFrame } = copy;
    state.phv = state.main;
    state.phv.set(phv);
    return this.#egress(port, frame, ownsFrame);
  }

  /** Runs egress; undefined where nothing leaves. */
  #egress(port: number, packet: Uint8Array, ownsFrame: boolean): Uint8Array | undefined {
    const { state } = this;
    const at = this.#at.egress;
    const stage = this.code.stages[EGRESS]!;
    this.begin(packet, ownsFrame);
    const { phv } = state;
    const { layout } = this.specialised;
    phv.fill(0, layout.metadata, layout.cleared);
    phv.fill(0, this.#at.externs.start, this.#at.externs.end);
    const named = this.named(port);
    phv[at.parserPort] = named;
    this.putTime(at.time);
    state.egressPort = port;
    const error = stage.parsers[0]!(state);
    phv[at.port] = named;
    phv[at.path] = phv[at.parserPath]!;
    phv[at.error] = error;
    phv[at.clone] = 0;
    phv[at.drop] = 0;
    stage.control(state);
    if (this.aborted()) return undefined;
    phv[at.deparserPort] = named;
    stage.prepare(state, phv);
    this.sendDigest();
    const isDropped = phv[at.drop] !== 0;
    const isCloned = phv[at.clone] !== 0;
    const frame = isDropped && !isCloned ? undefined : stage.emit(state, NO_LIMIT);
    if (isCloned) this.#clone("egress_clone", frame!, phv[at.session]!);
    if (isDropped) {
      this.drop("egress");
      return undefined;
    }
    if (port === RECIRCULATE) {
      this.#again("recirculate", { port: RECIRCULATE, frame: frame!, ownsFrame: !isCloned });
      return undefined;
    }
    this.tracer?.leaves(frame!);
    return frame;
  }
}

// ---------------------------------------------------------------- places

/** First words of the intrinsic metadata; every program for PSA has all of it. */
interface Places {
  readonly ingress: Readonly<
    Record<
      | "parserPort"
      | "parserPath"
      | "port"
      | "path"
      | "time"
      | "error"
      | "serviceClass"
      | "clone"
      | "session"
      | "drop"
      | "resubmit"
      | "group"
      | "outPort",
      number
    >
  >;
  readonly egress: Readonly<
    Record<
      | "parserPort"
      | "parserPath"
      | "serviceClass"
      | "port"
      | "path"
      | "instance"
      | "time"
      | "error"
      | "clone"
      | "session"
      | "drop"
      | "deparserPort",
      number
    >
  >;
  /** Ids of the field lists of what a path takes along; 0 where it takes nothing. */
  readonly lists: Readonly<Record<"resubmit" | "recirculate" | "cloneI2E" | "cloneE2E", number>>;
  /** The words of the state of checksums, which begin at 0 in each gress. */
  readonly externs: { readonly start: number; readonly end: number };
}

function placesOf({ layout, program }: ForwarderParts["specialised"]): Places {
  const of = (header: string) => (name: string) =>
    layout.field(`psa_${header}_metadata`, name)?.at ?? layout.words;
  const list = (name: string): number => program.field_lists.find((one) => one.name === name)?.id ?? 0;
  const [ingressParser, ingressIn, ingressOut] = [
    of("ingress_parser_input"),
    of("ingress_input"),
    of("ingress_output"),
  ];
  const [egressParser, egressIn, egressOut] = [
    of("egress_parser_input"),
    of("egress_input"),
    of("egress_output"),
  ];
  const externs = layout.headers.get(EXTERN_STATE);
  return {
    ingress: {
      parserPort: ingressParser("ingress_port"),
      parserPath: ingressParser("packet_path"),
      port: ingressIn("ingress_port"),
      path: ingressIn("packet_path"),
      time: ingressIn("ingress_timestamp"),
      error: ingressIn("parser_error"),
      serviceClass: ingressOut("class_of_service"),
      clone: ingressOut("clone"),
      session: ingressOut("clone_session_id"),
      drop: ingressOut("drop"),
      resubmit: ingressOut("resubmit"),
      group: ingressOut("multicast_group"),
      outPort: ingressOut("egress_port"),
    },
    egress: {
      parserPort: egressParser("egress_port"),
      parserPath: egressParser("packet_path"),
      serviceClass: egressIn("class_of_service"),
      port: egressIn("egress_port"),
      path: egressIn("packet_path"),
      instance: egressIn("instance"),
      time: egressIn("egress_timestamp"),
      error: egressIn("parser_error"),
      clone: egressOut("clone"),
      session: egressOut("clone_session_id"),
      drop: egressOut("drop"),
      deparserPort: of("egress_deparser_input")("egress_port"),
    },
    lists: {
      resubmit: list("resubmit_meta"),
      recirculate: list("recirculate_meta"),
      cloneI2E: list("clone_i2e_meta"),
      cloneE2E: list("clone_e2e_meta"),
    },
    externs: { start: externs?.at ?? 0, end: externs === undefined ? 0 : externs.at + externs.words },
  };
}
