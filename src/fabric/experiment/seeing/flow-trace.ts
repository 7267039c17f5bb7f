/**
 * Traces what every switch does with the packets of chosen flows, in both directions: a trace document for each hop, as a JSON line in
 * the file of the flow. `p4loom trace` reads them. All other packets are not traced, so they cost no more time.
 */
import { fromHex } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import { FrameFields } from "../../../base/packets/index.js";
import { type Fabric, SwitchNode } from "../../sim/packet/index.js";
import { OutputFile } from "./output-file.js";

export class FlowTrace {
  readonly #files = new Map<number, OutputFile>();
  /** Number of a flow by its five-tuple, in both directions. */
  readonly #numbers = new Map<string, number>();
  readonly #fields = new FrameFields();
  readonly #switches: SwitchNode[];
  readonly #stop: () => void;

  /** @param path of the file of a flow */
  constructor(fabric: Fabric, flows: readonly number[], path: (flow: number) => string) {
    for (const flow of flows) this.#files.set(flow, new OutputFile(path(flow)));
    this.#switches = fabric.nodes.filter((node) => node instanceof SwitchNode);
    this.#stop = fabric.events.observe({
      flowOpened: (number, flow) => this.#opened(number, flow),
    });
    for (const { device } of this.#switches) {
      device.traceFilter = (_port, frame) => this.#numberOf(frame) !== undefined;
      device.trace = (packet) => {
        const number = this.#numberOf(fromHex(packet.input.bytes)!);
        const file = number === undefined ? undefined : this.#files.get(number);
        file?.write(Buffer.from(`${JSON.stringify(packet)}\n`));
      };
    }
  }

  #opened(number: number, flow: FlowKey): void {
    for (const key of [keyOf(flow), keyOf(reversed(flow))]) {
      // A later flow that is not traced may have the five-tuple of a traced one.
      if (this.#files.has(number)) this.#numbers.set(key, number);
      else this.#numbers.delete(key);
    }
  }

  close(): void {
    this.#stop();
    for (const { device } of this.#switches) {
      device.trace = undefined;
      device.traceFilter = undefined;
    }
    for (const file of this.#files.values()) file.close();
  }

  #numberOf(frame: Uint8Array): number | undefined {
    if (this.#numbers.size === 0) return undefined;
    const fields = this.#fields;
    fields.read(frame);
    const { ipVersion, srcAt, portsAt, protocol } = fields;
    if (ipVersion === 0 || portsAt === 0) return undefined;
    const length = ipVersion === 4 ? 4 : 16;
    const number = (at: number, bytes: number) => {
      let value = 0n;
      for (let i = at; i < at + bytes; i++) value = (value << 8n) | BigInt(frame[i]!);
      return value;
    };
    return this.#numbers.get(
      keyOf({
        src: number(srcAt, length),
        dst: number(srcAt + length, length),
        protocol,
        srcPort: Number(number(portsAt, 2)),
        dstPort: Number(number(portsAt + 2, 2)),
      }),
    );
  }
}

function reversed({ src, dst, protocol, srcPort, dstPort }: FlowKey): FlowKey {
  return { src: dst, dst: src, protocol, srcPort: dstPort, dstPort: srcPort };
}

function keyOf({ src, dst, protocol, srcPort, dstPort }: FlowKey): string {
  return `${src} ${srcPort} ${dst} ${dstPort} ${protocol}`;
}
