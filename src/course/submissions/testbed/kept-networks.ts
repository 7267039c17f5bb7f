/** Networks of real switches for repeated tests of an exercise: they are kept until its topology changes. */
import { isDeepStrictEqual } from "node:util";
import type { Exercise } from "../../exercises/index.js";
import type { TestNetwork } from "../../grading/index.js";
import { type TestbedNetworkOptions, TestbedNetworks } from "./networks.js";

export class KeptNetworks {
  #networks: TestbedNetworks | undefined;

  constructor(readonly options: Omit<TestbedNetworkOptions, "frames">) {}

  /**
   * Opens a network whose switches have no program, after the previous one was closed.
   * @throws DiagnosticError if this machine cannot run it (P431xx, P42xxx of interfaces)
   */
  async open({ topology, limits: { frames } }: Exercise): Promise<TestNetwork> {
    const kept = this.#networks;
    if (kept !== undefined && kept.options.frames === frames && isDeepStrictEqual(kept.topology, topology))
      return kept.open();
    const made = new TestbedNetworks(topology, { ...this.options, frames });
    this.#networks = made;
    // waits for the end of a test that runs on the previous networks
    await kept?.whenFree();
    await kept?.close();
    return made.open();
  }

  /** Removes all networks; no further one can be opened. */
  async close(): Promise<void> {
    await this.#networks?.close();
  }
}
