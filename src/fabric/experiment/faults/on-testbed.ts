/** Faults on real switches: entries of fault tables, carriers of interfaces, killed processes, delays of the kernel. */
import type { Device, Update } from "../../../toolchain/device/index.js";
import type { Topology } from "../../topology/index.js";
import { directionsOf, type Fault } from "./fault.js";
import { faultEntries, writeEntries } from "./fault-entries.js";

/** What faults need of a testbed. Nodes and links by their indexes in the topology. */
export interface FaultyTestbed {
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
export class TestbedFaults {
  readonly #active = new Set<Fault>();
  readonly #killed = new Set<number>();

  constructor(
    readonly topology: Topology,
    readonly testbed: FaultyTestbed,
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
        return await this.testbed.setCarrier(element.index, false);
      case "kill":
        this.#killed.add(element.index);
        return await this.testbed.kill(element.index);
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
        if (!this.#isActive("down", element.index)) await this.testbed.setCarrier(element.index, true);
        return;
      case "kill": {
        if (this.#isActive("kill", element.index)) return;
        // A killed switch takes no writes; when it runs again, it gets the entries of all active faults.
        await this.testbed.restart(element.index, this.#updatesOf(element.index));
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
        .map(({ node, entries }) => writeEntries(this.testbed.device(node), type, entries)),
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
        return this.testbed.setDelay(link, from, extra);
      }),
    );
  }
}
