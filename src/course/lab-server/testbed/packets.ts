/** Packets of a lab on real switches: sends them on interfaces of hosts, and follows them by the traces of switches. */
import { fail, given, toHex } from "../../../base/index.js";
import { hostNamespace, switchNamespace, type Testbed } from "../../../fabric/testbed/index.js";
import { type FrameSender, senderOf } from "../../exercises/index.js";
import {
  addressValue,
  type BuiltPacket,
  buildPacket,
  formatsOf,
  LAB_CODES,
  type LabPlan,
  type LabTimers,
  type PacketInput,
  type PacketSource,
  type PlannedHost,
  type ProgramView,
  type RequestOf,
  TraceFollower,
} from "../../lab/index.js";
import { type FrameOutlet, FrameOutlets } from "./frame-outlets.js";
import { endsOf, InterfaceNames } from "./spec.js";
import { TraceReader } from "./trace-reader.js";

/** Minimum time between two timers of a series, in milliseconds; the packets that are due are sent together. */
const SERIES_MS = 1;
/**
 * Maximum time to wait for the number of a sent packet, in milliseconds: the trace of its first switch arrives a
 * little later.
 */
const NUMBER_MS = 2500;
const NS_PER_MS = 1e6;

interface TestbedPacketsOptions {
  readonly plan: LabPlan;
  readonly lab: Testbed;
  readonly timers: LabTimers;
  /**
   * The machine's monotonic clock in microseconds when the lab's clock was 0. (The clock since 1970 may be set while the lab runs.)
   */
  readonly monotonicUs: number;
  programs(): readonly ProgramView[];
  /** Sends the frames; absent: on the interfaces of this machine. */
  readonly outlets?: Pick<FrameOutlets, "send" | "close">;
}

export class TestbedPackets {
  readonly #options: TestbedPacketsOptions;
  readonly #names: InterfaceNames;
  readonly #outlets: Pick<FrameOutlets, "send" | "close">;
  readonly #follower: TraceFollower;
  readonly #reader: TraceReader;
  /** Ends the series of packets that are being sent, and what waits for a number. */
  readonly #open = new Set<() => void>();

  constructor(options: TestbedPacketsOptions) {
    const { plan, lab, monotonicUs, outlets = new FrameOutlets() } = options;
    this.#options = options;
    this.#outlets = outlets;
    this.#names = new InterfaceNames(plan);
    const programs = new Map(plan.switches.map(({ name, program }) => [name, program ?? ""]));
    this.#follower = new TraceFollower({ plan, programOf: (name) => programs.get(name) ?? "" });
    const sockets = [...lab.switches].flatMap(([name, { traceSocket }]) =>
      traceSocket === undefined ? [] : [[name, traceSocket] as const],
    );
    this.#reader = new TraceReader(new Map(sockets), (name, trace, zeroUs) =>
      this.#follower.add(name, trace, (zeroUs - monotonicUs) * 1000),
    );
  }

  get book() {
    return this.#follower.book;
  }

  /** Assembles the traces that have arrived. `hasPages`: without a page, switches are not asked for traces. */
  poll(nowNs: number, hasPages: boolean): void {
    this.#reader.connect(hasPages);
    this.#follower.assemble(nowNs);
  }

  build(packet: PacketInput, from: PacketSource): { frame: Uint8Array; built: BuiltPacket } {
    this.#outletOf(from);
    return buildPacket(packet, formatsOf(this.#options.programs()), this.#senderOf(from));
  }

  /** Sends a packet as often as requested. The result has its number, if a switch reports its trace in time. */
  async send(request: RequestOf<"packet.send">): Promise<BuiltPacket & { readonly packet?: number }> {
    const { from, count, intervalNs } = request;
    const outlet = this.#outletOf(from);
    const { frame, built } = this.build(request.packet, from);
    const { timers } = this.#options;
    let end = (): void => {};
    const number = new Promise<number | undefined>((resolve) => {
      const forget = this.#follower.expect(toHex(frame), resolve);
      const cancel = timers.later(NUMBER_MS, () => end());
      end = () => {
        cancel();
        forget();
        resolve(undefined);
      };
    });
    this.#open.add(end);
    try {
      this.#outlets.send(outlet, frame);
      if (count > 1) this.#sendMore(outlet, frame, count - 1, intervalNs);
      const packet = await number;
      return { ...built, ...given({ packet }) };
    } finally {
      end();
      this.#open.delete(end);
    }
  }

  #sendMore(outlet: FrameOutlet, frame: Uint8Array, count: number, intervalNs: number): void {
    const { timers } = this.#options;
    const start = timers.now();
    let sent = 0;
    let cancel = (): void => {};
    const stop = (): void => {
      cancel();
      this.#open.delete(stop);
    };
    const go = (): void => {
      const due = Math.min(count, Math.floor(((timers.now() - start) * NS_PER_MS) / intervalNs));
      try {
        for (; sent < due; sent++) this.#outlets.send(outlet, frame);
      } catch {
        // the link broke while the packets were sent
        stop();
        return;
      }
      if (sent === count) stop();
      else cancel = timers.later(Math.max(SERIES_MS, intervalNs / NS_PER_MS), go);
    };
    this.#open.add(stop);
    cancel = timers.later(Math.max(SERIES_MS, intervalNs / NS_PER_MS), go);
  }

  /** The interface on which a packet is sent: the first one of a host, or the one at the other end of a switch's port. */
  #outletOf(from: PacketSource): FrameOutlet {
    const { plan, lab } = this.#options;
    const ends = endsOf(plan, this.#names).flatMap(({ a, b }, link) => [
      { near: a, far: b, port: plan.links[link]!.b.port },
      { near: b, far: a, port: plan.links[link]!.a.port },
    ]);
    const found =
      "host" in from
        ? ends.find(({ near }) => near.node === this.#planned(from.host).name)
        : ends.find(({ far, port }) => far.node === this.#switch(from.switch) && port === from.port);
    if (found === undefined)
      return fail(
        LAB_CODES.noNode,
        undefined,
        "host" in from ? `${from.host} has no link` : `port ${from.port} of ${from.switch} has no link`,
      );
    const { node, interface: name } = found.near;
    const namespace = this.#names.isHost(node) ? hostNamespace(lab.id, node) : switchNamespace(lab.id);
    return { namespace, interface: name };
  }

  #planned(name: string): PlannedHost {
    const { hosts } = this.#options.plan;
    const found = hosts.find((one) => one.name === name);
    return found ?? unknown("host", name, hosts);
  }

  #switch(name: string): string {
    const { switches } = this.#options.plan;
    return switches.some((one) => one.name === name) ? name : unknown("switch", name, switches);
  }

  #senderOf(from: PacketSource): FrameSender {
    if (!("host" in from)) return {};
    const host = this.#planned(from.host);
    const { gateways: [gateway] = [], ipv6 } = host;
    return {
      ...senderOf(addressesOf(host), this.#options.plan.hosts.map(addressesOf)),
      ...(ipv6 === undefined ? {} : { ipv6: addressValue(ipv6, 128) }),
      ...(gateway === undefined ? {} : { macTowards: () => addressValue(gateway, 48) }),
    };
  }

  close(): void {
    for (const end of [...this.#open]) end();
    this.#reader.close();
    this.#outlets.close();
  }
}

function unknown(what: string, name: string, known: readonly { readonly name: string }[]): never {
  const names = known.map((one) => one.name).join(", ");
  return fail(LAB_CODES.noNode, undefined, `there is no ${what} ${name}`, `there are: ${names}`);
}

function addressesOf({ name, mac, ipv4, prefixLength, commands }: PlannedHost) {
  return { name, mac: addressValue(mac, 48), ipv4: addressValue(ipv4, 32), prefixLength, commands };
}
