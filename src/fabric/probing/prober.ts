/** Finds the port by which a running switch would send packets: with packet-outs to its program, and packet-ins as answers. */
import { fail } from "../../base/index.js";
import type { SelectorField } from "../../base/packets/index.js";
import type { Device, DeviceEvent } from "../../toolchain/device/index.js";
import { P4InfoIndex } from "../../toolchain/program/index.js";
import { CODES } from "./codes.js";
import { type ProbeHeader, probeFrame } from "./probe-frame.js";

/** Answer for a packet that the program dropped. */
export const DROPPED = 511;

export interface ProberOptions {
  /** Field that carries {@link ProbeHeader.selector}. */
  readonly field: SelectorField;
  /** Resolves after this number of nanoseconds. */
  sleep(ns: number): Promise<void>;
}

/** Maximum number of probes in flight: fewer than the packets that fit into the CPU port's queue, or into a full stream. */
const BATCH = 8;
/** Time that a batch waits for answers before missing probes are sent again. */
const PATIENCE_NS = 2e9;
const ATTEMPTS = 3;

export class Prober {
  #nextId = 0;
  readonly #waiting = new Map<number, (port: number) => void>();
  readonly #stop: () => void;

  /** Throws DiagnosticError P45306 for a switch whose program does not answer probes. */
  constructor(
    readonly device: Device,
    readonly options: ProberOptions,
  ) {
    const { index = device.program && new P4InfoIndex(device.program.p4info) } = device;
    const fields = (header: string) =>
      index?.controllerHeaders.byName(header)?.fields.list.map(({ name }) => name) ?? [];
    if (
      !fields("packet_out").includes("id") ||
      !["id", "port"].every((name) => fields("packet_in").includes(name))
    )
      fail(
        CODES.noProbes,
        undefined,
        `the program of ${device.name} does not answer probes`,
        "a program that does has controller headers packet_out with id, and packet_in with id and port: templates/partials/answer_probe.p4.hbs",
      );
    this.#stop = device.watch((event) => this.#onEvent(event));
  }

  /** Egress ports of these packets, {@link DROPPED} for a dropped one. Throws DiagnosticError P45307 without answers. */
  async ports(headers: readonly ProbeHeader[]): Promise<number[]> {
    const ports: number[] = [];
    for (let from = 0; from < headers.length; from += BATCH)
      ports.push(...(await this.#batch(headers.slice(from, from + BATCH))));
    return ports;
  }

  close(): void {
    this.#stop();
  }

  #onEvent(event: DeviceEvent): void {
    if (event.kind !== "packetIn") return;
    const { id, port } = event.packet.metadata;
    if (id === undefined || port === undefined) return;
    this.#waiting.get(Number(id))?.(Number(port));
  }

  async #batch(headers: readonly ProbeHeader[]): Promise<number[]> {
    const ports: (number | undefined)[] = headers.map(() => undefined);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const open = [...headers.keys()].filter((i) => ports[i] === undefined);
      if (open.length === 0) break;
      await this.#send(headers, open, ports);
    }
    const lost = ports.filter((port) => port === undefined).length;
    if (lost > 0)
      fail(
        CODES.noAnswer,
        undefined,
        `${this.device.name}: ${lost} of ${ports.length} probes had no answer after ${ATTEMPTS} attempts`,
        "the switch must send packets to its CPU port, 510 (simple_switch_grpc: --cpu-port 510), and its queue must have space",
      );
    return ports as number[];
  }

  /** Sends the `open` probes, and waits until all are answered or the time is over. */
  async #send(
    headers: readonly ProbeHeader[],
    open: readonly number[],
    ports: (number | undefined)[],
  ): Promise<void> {
    const ids: number[] = [];
    let left = open.length;
    let done = () => {};
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    for (const i of open) {
      const id = this.#nextId;
      this.#nextId = (id + 1) % 2 ** 16;
      ids.push(id);
      this.#waiting.set(id, (port) => {
        this.#waiting.delete(id);
        ports[i] = port;
        if (--left === 0) done();
      });
    }
    await Promise.all(
      open.map((i, k) =>
        this.device.packetOut({
          payload: probeFrame(headers[i]!, this.options.field),
          metadata: { id: BigInt(ids[k]!) },
        }),
      ),
    );
    await Promise.race([all, this.options.sleep(PATIENCE_NS)]);
    for (const id of ids) this.#waiting.delete(id);
  }
}
