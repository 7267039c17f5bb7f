/** The flows that this host sends, each over a TCP connection of its own: see `transfer.ts`. */
import { addressText, isSame } from "./addresses.js";
import { type FlowRequest, RequestError, type StartRequest } from "./requests.js";
import { Transfer, type TransferParts } from "./transfer.js";

/** Maximum number of flows that are in progress or wait for their start; those in progress have a socket each. */
const MOST_TRANSFERS = 100_000;
/** Bytes of the timestamp option in a segment, where it is enabled. */
const TIMESTAMPS_LENGTH = 12;

export class Transfers {
  readonly #transfers = new Map<number, Transfer>();

  constructor(
    readonly config: Pick<StartRequest, "ipv4" | "ipv6" | "mtu">,
    readonly parts: TransferParts,
  ) {}

  /** Throws `RequestError` for an impossible flow. */
  add(request: FlowRequest): void {
    const source = this.#sourceFor(request);
    if (this.#transfers.has(request.id)) throw new RequestError(`id: there is a flow ${request.id} already`);
    if (this.#transfers.size >= MOST_TRANSFERS)
      throw new RequestError(`there are ${MOST_TRANSFERS} flows already`);
    const transfer = new Transfer(request, source, this.parts, () => this.#transfers.delete(request.id));
    this.#transfers.set(request.id, transfer);
    const { startNs } = request;
    if (startNs === undefined || startNs <= this.parts.now()) transfer.start();
    else this.parts.timers.at(startNs, () => transfer.start());
  }

  #sourceFor({ to, segmentBytes }: FlowRequest): Uint8Array {
    const isV4 = to.length === 4;
    const source = isV4 ? this.config.ipv4 : this.config.ipv6;
    if (source === undefined)
      throw new RequestError(`to: this host has no address of the family of ${addressText(to)}`);
    if (isSame(source, to)) throw new RequestError(`to: ${addressText(to)} is this host itself`);
    const room = this.config.mtu - (isV4 ? 40 : 60) - TIMESTAMPS_LENGTH;
    if (segmentBytes !== undefined && segmentBytes > room)
      throw new RequestError(`segmentBytes: at most ${room} fit into the MTU, got ${segmentBytes}`);
    return source;
  }

  /** Has no effect on a flow that has ended. */
  stop(id: number): void {
    this.#transfers.get(id)?.finish(true);
  }

  /** Ends all without a report. */
  close(): void {
    for (const transfer of [...this.#transfers.values()]) transfer.close(true);
  }
}
