/** Sends frames on interfaces of a lab, as a program in that namespace does. */
import { fail } from "../../../base/index.js";
import { Interfaces } from "../../../toolchain/interfaces/index.js";
import { LAB_CODES } from "../../lab/index.js";

/** An interface in a network namespace. */
export interface FrameOutlet {
  readonly namespace: string;
  readonly interface: string;
}

export class FrameOutlets {
  /** Interfaces on which a frame was sent; they are not read. */
  readonly #open = new Map<string, Interfaces>();
  #closed = false;

  /**
   * Fails with P46003 after {@link close}, and with P46005 if the kernel rejects the frame: the link is down, or the frame is longer
   * than its MTU.
   */
  send({ namespace, interface: name }: FrameOutlet, frame: Uint8Array): void {
    if (this.#closed)
      fail(LAB_CODES.notHere, undefined, `the network of ${name} has ended`, "start the lab again");
    const key = `${namespace} ${name}`;
    let outlet = this.#open.get(key);
    if (outlet === undefined) {
      outlet = new Interfaces([{ port: 0, name, namespace }], { frame: () => {} });
      this.#open.set(key, outlet);
    }
    const before = outlet.statistics[0]!.sendRefused;
    outlet.send(0, frame);
    outlet.flush();
    if (outlet.statistics[0]!.sendRefused === before) return;
    fail(
      LAB_CODES.packetShape,
      undefined,
      `the interface ${name} rejected the packet of ${frame.length} bytes`,
      "its link is down, or the packet is longer than 1514 bytes",
    );
  }

  close(): void {
    this.#closed = true;
    for (const one of this.#open.values()) one.close();
    this.#open.clear();
  }
}
