/** Networks of real switches for the tests of an exercise that is worked on: they stay until its topology is another one. */
import { isDeepStrictEqual } from "node:util";
import type { Exercise } from "../../exercises/index.js";
import type { TestNetwork } from "../../grading/index.js";
import { type TestbedNetworkOptions, TestbedNetworks } from "./networks.js";

export class KeptNetworks {
  #networks: TestbedNetworks | undefined;

  constructor(readonly options: Omit<TestbedNetworkOptions, "frames">) {}

  /**
   * A network whose switches have no program. It begins when the one before is closed.
   * @throws DiagnosticError where this machine cannot run it (P431xx, P42xxx of interfaces)
   */
  async open({ topology, limits: { frames } }: Exercise): Promise<TestNetwork> {
    const kept = this.#networks;
    if (kept !== undefined && kept.options.frames === frames && isDeepStrictEqual(kept.topology, topology))
      return kept.open();
    const made = new TestbedNetworks(topology, { ...this.options, frames });
    this.#networks = made;
    // a test that runs on the networks before ends first
    await kept?.whenFree();
    await kept?.close();
    return made.open();
  }

  /** Takes all away; nothing can be opened afterwards. */
  async close(): Promise<void> {
    await this.#networks?.close();
  }
}
