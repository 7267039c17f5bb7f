/** Writes the frames of chosen links into a pcapng file while a simulation runs. Times are virtual, from the boot of the fabric. */

import { pcapngInterface, pcapngPacket, pcapngSection } from "../../../base/packets/index.js";
import { type Channel, type Fabric, NS_PER_S } from "../../sim/packet/index.js";
import type { CapturePoint } from "./capture-points.js";
import { OutputFile } from "./output-file.js";

export class LinkCapture {
  readonly #file: OutputFile;
  readonly #stops: (() => void)[] = [];

  constructor(fabric: Fabric, points: readonly CapturePoint[], path: string) {
    this.#file = new OutputFile(path);
    this.#file.write(pcapngSection({ application: "p4loom" }));
    for (const { name, link } of points) {
      const speedBps = fabric.topology.links[link]!.rateBps;
      this.#file.write(pcapngInterface({ name, speedBps }));
    }
    const { simulation } = fabric.network;
    points.forEach(({ link, what }, number) => {
      const { aToB, bToA } = fabric.link(link);
      const write = (frame: Uint8Array, outbound: boolean | undefined) => {
        const seconds = Math.floor(simulation.now / NS_PER_S);
        const nanoseconds = Math.floor(simulation.now - seconds * NS_PER_S);
        this.#file.write(pcapngPacket({ interface: number, seconds, nanoseconds, frame, outbound }));
      };
      const arriving = (channel: Channel, outbound?: boolean) =>
        this.#stops.push(channel.tap({ arrived: (frame) => write(frame, outbound) }));
      const sending = (channel: Channel) =>
        this.#stops.push(channel.tap({ sent: (frame) => write(frame, true) }));
      if (what === "aToB") arriving(aToB);
      else if (what === "bToA") arriving(bToA);
      else {
        sending(what === "a" ? aToB : bToA);
        arriving(what === "a" ? bToA : aToB, false);
      }
    });
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#file.close();
  }
}
