/** Faults on real switches: entries of fault tables, carriers of interfaces, killed processes, delays of the kernel. */

import { fail, type Locate, type Span } from "../../../base/index.js";
import type { Device, Update } from "../../../toolchain/device/index.js";
import { MAX_FAULT_TABLES } from "../../../toolchain/generate/index.js";
import { monotonicNs, type SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { sleepUntil } from "../testbed/flow-watch.js";
import type { SchemeOnLab } from "../testbed/scheme-on-lab.js";
import { withCleanup } from "../testbed/with-lab.js";
import type { RunFaults } from "./during-run.js";
import { directionsOf, effectName, elementName, endName, type Fault, transitionsOf } from "./fault.js";
import { faultEntries, faultTables, writeEntries } from "./fault-entries.js";

/** What faults need of a lab. Nodes and links by their indexes in the topology. */
export interface FaultyLab {
  device(node: number): Device;
  /** Takes the carrier of both ends of a link away (`up` false), or restores it. */
  setCarrier(link: number, up: boolean): Promise<void>;
  /** Sets the additional delay, in nanoseconds, of the packets that one end of a link sends. */
  setDelay(link: number, from: "a" | "b", extra: number): Promise<void>;
  /** Ends the process of a switch at once. */
  kill(node: number): Promise<void>;
  /** Starts a killed switch with its program and its state; `more` updates are in the same batch as the state. */
  restart(node: number, more: readonly Update[]): Promise<void>;
}

/** Injects and ends faults. An element works again when all of its faults have ended. */
export class LabFaults {
  readonly #active = new Set<Fault>();
  readonly #killed = new Set<number>();

  constructor(
    readonly topology: Topology,
    readonly lab: FaultyLab,
    /** Fault table of each fault. */
    readonly tables: ReadonlyMap<Fault, number>,
  ) {}

  async begin(fault: Fault): Promise<void> {
    this.#active.add(fault);
    const { element, effect } = fault;
    switch (effect.kind) {
      case "packets":
        await Promise.all([this.#write(fault, "insert"), this.#delay(fault)]);
        return;
      case "down":
        return await this.lab.setCarrier(element.index, false);
      case "kill":
        this.#killed.add(element.index);
        return await this.lab.kill(element.index);
    }
  }

  async end(fault: Fault): Promise<void> {
    this.#active.delete(fault);
    const { element, effect } = fault;
    switch (effect.kind) {
      case "packets":
        await Promise.all([this.#write(fault, "delete"), this.#delay(fault)]);
        return;
      case "down":
        if (!this.#isActive("down", element.index)) await this.lab.setCarrier(element.index, true);
        return;
      case "kill": {
        if (this.#isActive("kill", element.index)) return;
        // A killed switch takes no writes; when it runs again, it gets the entries of all active faults.
        await this.lab.restart(element.index, this.#updatesOf(element.index));
        this.#killed.delete(element.index);
      }
    }
  }

  /** Ends all faults. Restarts come first, because a killed switch takes no writes. */
  async endAll(): Promise<void> {
    for (const kind of ["kill", "down", "packets"] as const)
      for (const fault of [...this.#active].filter(({ effect }) => effect.kind === kind))
        await this.end(fault);
  }

  #isActive(kind: "down" | "kill", index: number): boolean {
    return [...this.#active].some(({ effect, element }) => effect.kind === kind && element.index === index);
  }

  /**
   * Begins the faults, with their flapping, until the returned function ends them all. `wait` waits for a number of
   * nanoseconds and rejects when the run is stopped.
   */
  async inject(faults: readonly Fault[], wait: (ns: number) => Promise<void>): Promise<() => Promise<void>> {
    await Promise.all(faults.map((fault) => this.begin(fault)));
    let over = false;
    const flaps = faults.map(async (fault) => {
      const { flap } = fault;
      for (let begins = false; flap !== undefined; begins = !begins) {
        await wait(flap.period * (begins ? 1 - flap.duty : flap.duty));
        if (over) return;
        await (begins ? this.begin(fault) : this.end(fault));
      }
    });
    const flapping = Promise.all(flaps);
    // The function that ends the faults rejects with the error of a failed write.
    flapping.catch(() => {});
    return async () => {
      over = true;
      await flapping;
      await this.endAll();
    };
  }

  async #write(fault: Fault, type: "insert" | "delete"): Promise<void> {
    const table = this.tables.get(fault) ?? 0;
    await Promise.all(
      faultEntries(this.topology, fault, table)
        .filter(({ node }) => !this.#killed.has(node))
        .map(({ node, entries }) => writeEntries(this.lab.device(node), type, entries)),
    );
  }

  #updatesOf(node: number): Update[] {
    return [...this.#active].flatMap((fault) =>
      faultEntries(this.topology, fault, this.tables.get(fault) ?? 0)
        .filter((one) => one.node === node)
        .flatMap(({ entries }) => entries.map((entity): Update => ({ type: "insert", entity }))),
    );
  }

  /** Sets the delays of all directions of the fault to the sums over all active faults. */
  async #delay(fault: Fault): Promise<void> {
    if (fault.effect.kind !== "packets" || fault.effect.delay === 0) return;
    await Promise.all(
      directionsOf(this.topology, fault.element).map(({ link, from }) => {
        let extra = 0;
        for (const { element, effect } of this.#active) {
          if (effect.kind !== "packets" || effect.delay === 0) continue;
          const own = directionsOf(this.topology, element);
          if (own.some((one) => one.link === link && one.from === from)) extra += effect.delay;
        }
        return this.lab.setDelay(link, from, extra);
      }),
    );
  }
}

// Which faults the switches and the kernel of a lab can inject: all others are refused before anything starts.

/** The place of a fault in the file, or of one of its keys. */
type FaultPlace = (fault: Fault, key?: string) => Span | undefined;

interface LabFaultPlan {
  /** Index of the fault table of each fault. */
  readonly tables: ReadonlyMap<Fault, number>;
  /** Number of fault tables that the programs need, at least one. */
  readonly count: number;
}

/** Fails with P43018, which names the engine and the fault, for a fault that the engine cannot inject. */
export async function checkLabFaults(
  topology: Topology,
  faults: readonly Fault[],
  engine: SwitchEngine,
  place: FaultPlace,
  stop: AbortSignal,
): Promise<LabFaultPlan> {
  for (const fault of faults) {
    if (fault.element.kind === "control")
      fail(
        CODES.faultOnTestbed,
        place(fault, "control") ?? place(fault),
        `engine ${engine} cannot disturb ${elementName(topology, fault.element)}`,
        "controllers of a lab use connections of this machine; run it on the simulator: --engine sim",
      );
    if (fault.element.kind === "flow")
      fail(
        CODES.faultOnTestbed,
        place(fault, "drop") ?? place(fault),
        `engine ${engine} cannot drop certain packets of a flow: its switches do not count them`,
        "run it on the simulator: --engine sim",
      );
    await checkLabDelay(
      fault,
      elementName(topology, fault.element),
      engine,
      (key) => place(fault, key),
      stop,
    );
  }
  const tables = faultTables(topology, faults);
  if (tables === undefined) {
    const last = faults.at(-1)!;
    fail(
      CODES.faultOnTestbed,
      place(last),
      `engine ${engine} cannot make these faults: more than ${MAX_FAULT_TABLES} act on the same packets of a switch at one time`,
      "let some end before others begin, or run it on the simulator: --engine sim",
    );
  }
  return { tables, count: Math.max(0, ...tables.values()) + 1 };
}

/** The part of {@link checkLabFaults} that does not depend on the element; messages call the element `name`. */
export async function checkLabDelay(
  { effect, match }: Pick<Fault, "effect" | "match">,
  name: string,
  engine: SwitchEngine,
  place: (key?: string) => Span | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (effect.kind !== "packets") return;
  if (effect.rate !== undefined)
    fail(
      CODES.faultOnTestbed,
      place("rate") ?? place(),
      `engine ${engine} cannot change the rate of ${name} while it runs`,
      "run it on the simulator: --engine sim",
    );
  if (effect.delay === 0) return;
  if (match !== undefined)
    fail(
      CODES.faultOnTestbed,
      place("match") ?? place(),
      `engine ${engine} cannot delay some packets of ${name} and not others`,
      "the kernel delays all packets of an interface: leave match out, or run on the simulator (--engine sim)",
    );
  const { probeQdiscs } = await import("../../testbed/index.js");
  const qdiscs = await probeQdiscs(stop);
  if ("reason" in qdiscs || !qdiscs.netem)
    fail(
      CODES.faultOnTestbed,
      place("delay") ?? place(),
      `engine ${engine} cannot delay packets of ${name} here: this kernel has no netem (sch_netem)`,
      "run it on the simulator: --engine sim",
    );
}

// Faults of a run on a lab at their times, those of controllers and commands included.

/** An experiment whose file lists faults. */
interface Listed extends RunFaults {
  readonly topology: Topology;
  readonly locate: Locate;
}

/** Number of fault tables that programs need. Fails with P43018 for a fault that the engine cannot inject. */
export async function listedFaultTables(
  { topology, locate, faults }: Listed,
  engine: SwitchEngine,
  stop: AbortSignal,
): Promise<number> {
  const place = (fault: Fault, key?: string) =>
    locate(["faults", fault.number, ...(key === undefined ? [] : [key])]);
  return (await checkLabFaults(topology, faults, engine, place, stop)).count;
}

interface LabTimes {
  /** Nanoseconds of CLOCK_MONOTONIC: time 0 of the file. */
  readonly start: number;
  /** Nanoseconds, may be infinite: what the file lists after it does not happen. */
  readonly duration: number;
}

/** Injects all faults of the file at their times while `work` runs; ends all faults when `work` is done. */
export async function withFaults<T>(
  { topology, faults: listed, controllerFaults, commands = [] }: Listed,
  fabric: SchemeOnLab,
  tables: ReadonlyMap<Fault, number>,
  { start, duration }: LabTimes,
  work: () => Promise<T>,
): Promise<T> {
  const { journal } = fabric.run;
  const over = new AbortController();
  const stop = AbortSignal.any([fabric.run.stop, over.signal]);
  const faults = new LabFaults(topology, fabric.faultyLab, tables);
  const inTurn = async <E extends { readonly at: number }>(
    events: readonly E[],
    apply: (one: E) => unknown,
  ) => {
    for (const event of events) {
      if (event.at >= duration) return;
      await sleepUntil(start + event.at, stop);
      await apply(event);
    }
  };
  // Faults of controllers take no time, so they do not wait for faults of the network.
  const happening = Promise.all([
    inTurn(controllerFaults, (fault) => fabric.control.apply(fault)),
    inTurn(commands, (command) => fabric.control.command(command)),
    inTurn(transitionsOf(listed, duration), ({ at, fault, begins }) => {
      const late = (monotonicNs() - start - at) / 1e6;
      const what = begins ? effectName(fault) : endName(fault);
      journal.write(`fault ${fault.number}: ${what}, ${late.toFixed(1)} ms late`);
      return begins ? faults.begin(fault) : faults.end(fault);
    }),
  ]);
  // The work may wait for none of these promises; it must still end when a fault cannot be injected.
  const failed = new Promise<never>((_, reject) => {
    happening.catch((error: unknown) => {
      if (!over.signal.aborted) reject(error);
    });
  });
  failed.catch(() => {});
  return await withCleanup(
    async () => {
      const value = await Promise.race([work(), failed]);
      over.abort();
      await happening.catch(() => {});
      return value;
    },
    async () => {
      over.abort();
      await happening.catch(() => {});
      await faults.endAll();
    },
  );
}
