/**
 * The decisions of the software of one switch, without a device: it takes the states of links, counter values and feedback, and
 * returns writes. A set of ports is a bit mask; a destination is the number of a rack.
 */
import { Random } from "../../../base/index.js";
import type { Entity, Update } from "../../../toolchain/device/index.js";
import { nodeAt, type TopologyNode } from "../../topology/index.js";
import type { GroupLayout } from "./group-layout.js";
import { type PortTraffic, relativeCapacities } from "./policy/allocation.js";
import type { Rebalancing } from "./policy/epoch.js";
import { DerouteHolds, feedsBack } from "./policy/feedback.js";
import { PortGroups } from "./policy/port-groups.js";
import { type FurtherRule, firstState, furtherStateOf } from "./policy/threshold.js";
import { bitmapOf, type PortClasses } from "./port-classes.js";
import { bitmapUpdate, destinationUpdate, groupUpdate, SELECTOR } from "./tables.js";
import { type MapKind, type VirtualPortMap, virtualPortMap } from "./virtual-port-map.js";

export interface SoftwareSettings {
  readonly deroutes: number;
  readonly virtualPorts: number;
  readonly map: MapKind;
  /** A second round of hashes. */
  readonly retry: boolean;
  readonly rule: FurtherRule;
  readonly holdNs: number;
  /** Seed of the initial maps of virtual ports. */
  readonly hashSeed: number;
}

/** Properties of a switch that its software knows from the beginning. */
export interface OwnSwitch {
  readonly node: TopologyNode;
  readonly layout: GroupLayout;
  /** Bits of a bitmap. */
  readonly width: number;
  /** Traffic that each port can carry per second, by bit, in the unit of the counters. */
  readonly capacity: Float64Array;
}

/** Table contents for a destination. */
interface Destination {
  readonly group: number;
  readonly shortest: readonly number[];
  /** Including those of shortest paths; without those that a neighbour's feedback holds. */
  readonly further: readonly number[];
}

export class SwitchSoftware {
  readonly map: VirtualPortMap;
  readonly #groups: PortGroups;
  #classes: PortClasses;
  /** By rack, as the tables have them; undefined for racks of this switch. */
  readonly #destinations: (Destination | undefined)[];
  readonly #selectors: number[];
  /** By rack: state by the rule of figure 4 after the last epoch. */
  readonly #furtherStates: number[];
  readonly #relativeCapacity: Float64Array;
  readonly #holds: DerouteHolds;

  /** `classes`: of the network in which the switch has the state of its plan. */
  constructor(
    readonly own: OwnSwitch,
    classes: PortClasses,
    readonly settings: SoftwareSettings,
  ) {
    const { node, layout, width } = own;
    this.#classes = classes;
    this.map = virtualPortMap(settings.map, settings.virtualPorts, settings.retry);
    // A switch without ports to others has nothing to map.
    const members = layout.members.map((bits) => (bits.length === 0 ? [0] : bits));
    this.#groups = new PortGroups(width, settings.virtualPorts, members);
    this.#groups.shuffle(new Random(settings.hashSeed).fork(`virtual ports of ${node.name}`));
    this.#holds = new DerouteHolds(width, settings.holdNs);
    const { topology } = classes;
    const { racks } = topology;
    this.#furtherStates = racks.map(() => firstState(settings.rule));
    const isFabric = (bit: number) => nodeAt(topology, node.ports[bit]?.peer ?? node.index).role !== "host";
    this.#relativeCapacity = relativeCapacities(own.capacity.map((rate, bit) => (isFabric(bit) ? rate : 0)));
    this.#destinations = racks.map((rack) =>
      rack.switches.includes(node.index) ? undefined : this.#destination(rack.index, 0),
    );
    this.#selectors = racks.map((rack) => this.#selector(rack.index));
  }

  /** All writes that a switch needs before its first packet. */
  plan(): Update[] {
    const { layout } = this.own;
    const updates: Update[] = [];
    for (const group of layout.members.keys()) {
      updates.push(groupUpdate("insert", group, this.#members(group)));
      for (let virtualPort = 0; virtualPort < this.settings.virtualPorts; virtualPort++)
        updates.push(...this.#mapped("insert", group, virtualPort));
    }
    for (const [rack, destination] of this.#destinations.entries()) {
      if (destination === undefined) continue;
      updates.push(destinationUpdate("insert", rack, destination));
      updates.push(bitmapUpdate("insert", rack, this.#selectors[rack]!));
    }
    return updates;
  }

  /** Reads the virtual ports that an earlier incarnation of the software has written; `entities`: the result of `map.query`. */
  learn(entities: readonly Entity[]): void {
    for (const entity of entities) {
      const found = this.map.entry(entity);
      if (found === undefined || found.group >= this.#groups.groups || found.bit >= this.own.width) continue;
      this.#groups.remap(found.group, found.virtualPort, found.bit);
    }
  }

  /** All state that depends on links and loads, as modifications: the writes of an earlier incarnation are unknown. */
  rewrite(): Update[] {
    const updates: Update[] = [];
    for (const group of this.own.layout.members.keys())
      updates.push(groupUpdate("modify", group, this.#members(group)));
    for (const [rack, destination] of this.#destinations.entries()) {
      if (destination === undefined) continue;
      updates.push(destinationUpdate("modify", rack, destination));
      updates.push(bitmapUpdate("modify", rack, this.#selectors[rack]!));
    }
    return updates;
  }

  /** A port of this switch has lost its carrier, or got it back (section 4.6): virtual ports of a lost port go to other members. */
  portChanged(bit: number, up: boolean): Update[] {
    const groups = this.#groups;
    if (up) groups.portUp(bit);
    const moved = up ? [] : groups.portDown(bit);
    const concerned = [...this.own.layout.members.entries()].filter(([, bits]) => bits.includes(bit));
    return [
      ...concerned.map(([group]) => groupUpdate("modify", group, this.#members(group))),
      ...moved.flatMap(({ group, virtualPort }) => this.#mapped("modify", group, virtualPort)),
    ];
  }

  /** Routing has found other paths: bitmaps deny ports to some destinations, and the virtual ports do not change (section 4.6). */
  routesChanged(classes: PortClasses, nowNs: number): Update[] {
    this.#classes = classes;
    return this.#refresh(nowNs);
  }

  /** The end of an epoch: decides which destinations may use further ports (figure 4), and balances the groups (section 4.3). */
  endEpoch(
    measured: PortTraffic,
    epochSeconds: number,
    nowNs: number,
    rebalancing: Rebalancing | undefined,
  ): Update[] {
    const { capacity } = this.own;
    const possible = capacity.map((rate) => rate * epochSeconds);
    for (const [rack, destination] of this.#destinations.entries())
      if (destination !== undefined)
        this.#furtherStates[rack] = furtherStateOf(
          this.#furtherStates[rack]!,
          destination.shortest,
          measured.byPort,
          possible,
          this.settings.rule,
        );
    this.#holds.expire(nowNs);
    const updates = this.#refresh(nowNs);
    rebalancing?.rebalance(
      this.#groups,
      { ...measured, capacity: this.#relativeCapacity },
      ({ group, virtualPort }) => updates.push(...this.#mapped("modify", group, virtualPort)),
    );
    return updates;
  }

  /** Whether a neighbour that has derouted a packet for this destination must get feedback (section 7). */
  feedsBack(rack: number): boolean {
    return feedsBack(true, this.#furtherStates[rack]! > 0);
  }

  /** Feedback of a neighbour: no derouted packets for this destination. */
  onFeedback(rack: number, bit: number, nowNs: number): Update[] {
    if (this.#destinations[rack] === undefined) return [];
    this.#holds.hold(rack, bit, nowNs);
    return this.#refresh(nowNs);
  }

  /** Ends holds whose time is over, so that their ports can be used again. */
  endHolds(nowNs: number): Update[] {
    this.#holds.expire(nowNs);
    return this.#refresh(nowNs);
  }

  /** Writes for all entries that have changed. */
  #refresh(nowNs: number): Update[] {
    const updates: Update[] = [];
    for (const [rack, before] of this.#destinations.entries()) {
      if (before === undefined) continue;
      const now = this.#destination(rack, nowNs);
      if (!isSame(before, now)) {
        this.#destinations[rack] = now;
        updates.push(destinationUpdate("modify", rack, now));
      }
      const selector = this.#selector(rack);
      if (selector === this.#selectors[rack]) continue;
      this.#selectors[rack] = selector;
      updates.push(bitmapUpdate("modify", rack, selector));
    }
    return updates;
  }

  #destination(rack: number, nowNs: number): Destination {
    const { node } = this.own;
    const shortest = this.#classes.shortest(node.index, rack);
    const group = this.#groupFor(rack, shortest);
    if (this.settings.deroutes === 0) return { group, shortest, further: shortest };
    const members = new Set(this.#members(group));
    const further = this.#classes
      .further(node.index, rack)
      .filter((bit) => shortest.includes(bit) || (members.has(bit) && !this.#holds.isHeld(rack, bit, nowNs)));
    return { group, shortest, further };
  }

  /** The planned group; if faults leave no port of the shortest paths in it, the last group, which has all ports. */
  #groupFor(rack: number, shortest: readonly number[]): number {
    const { members, groupOf } = this.own.layout;
    const planned = groupOf[rack]!;
    return shortest.every((bit) => members[planned]!.includes(bit)) ? planned : members.length - 1;
  }

  #selector(rack: number): number {
    const destination = this.#destinations[rack];
    if (destination === undefined || this.settings.deroutes === 0 || this.#furtherStates[rack] === 0)
      return SELECTOR.shortest;
    const all = this.#members(destination.group);
    return destination.further.length === all.length ? SELECTOR.all : SELECTOR.further;
  }

  #members(group: number): number[] {
    const { members, ports } = this.#groups;
    return this.own.layout.members[group]!.filter((bit) => members[group * ports + bit] === 1);
  }

  #mapped(type: "insert" | "modify", group: number, virtualPort: number): Update[] {
    return this.map.updates(type, group, virtualPort, this.#groups.portOf(group, virtualPort));
  }
}

function isSame(a: Destination, b: Destination): boolean {
  return (
    a.group === b.group &&
    bitmapOf(a.shortest) === bitmapOf(b.shortest) &&
    bitmapOf(a.further) === bitmapOf(b.further)
  );
}
