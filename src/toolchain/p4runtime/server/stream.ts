/** One controller's stream (P4Runtime spec 16): receives arbitration updates and packets, sends the events of the device. */
import { create, toBinary } from "@bufbuild/protobuf";
import { type Device, DeviceError, type StatusCode } from "../../device/index.js";
import { decodePacketOut } from "../codec/packet.js";
import {
  type DigestListAck,
  DigestListAckErrorSchema,
  type MasterArbitrationUpdate,
  type PacketOut,
  PacketOutErrorSchema,
  type StreamError,
  StreamErrorSchema,
  type StreamMessageRequest,
  type StreamMessageResponse,
  StreamMessageResponseSchema,
  StreamOtherErrorSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import type { Call, CallHandler } from "../grpc/call.js";
import { P4RuntimeService } from "../service.js";
import { codeNumber, statusOf } from "../status.js";
import type { Arbitration, Controller } from "./arbitration.js";
import type { Pipeline } from "./pipeline.js";

export class StreamSession implements Controller, CallHandler {
  readonly #outbox: Outbox<Uint8Array>;
  #open = true;

  constructor(
    private readonly call: Call,
    private readonly arbitration: Arbitration,
    private readonly pipeline: Pipeline,
    private readonly device: Device,
    private readonly onClose: (session: StreamSession) => void,
  ) {
    this.#outbox = new Outbox(call, () =>
      this.end("RESOURCE_EXHAUSTED", "the controller does not read its arbitration updates"),
    );
  }

  message(bytes: Uint8Array): void {
    let message: StreamMessageRequest;
    try {
      message = P4RuntimeService.streamChannel.requestDeserialize(bytes as Buffer);
    } catch {
      this.end("INTERNAL", "these bytes are no StreamMessageRequest");
      return;
    }
    this.#receive(message);
  }

  ended(): void {
    this.#close();
    this.call.succeed();
  }

  cancel(): void {
    this.#close();
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#outbox.close();
    this.arbitration.remove(this);
    this.onClose(this);
  }

  arbitrate(update: MasterArbitrationUpdate): void {
    this.#send({ case: "arbitration", value: update });
  }

  end(code: StatusCode, message: string): void {
    this.#close();
    this.call.fail({ code: codeNumber(code), details: message });
  }

  /** Sends an event of the device; it is dropped when the controller reads too slowly. */
  notify(message: StreamMessageResponse): void {
    this.#outbox.notify(toBinary(StreamMessageResponseSchema, message));
  }

  #send(update: StreamMessageResponse["update"]): void {
    const message = create(StreamMessageResponseSchema);
    message.update = update;
    this.#outbox.send(toBinary(StreamMessageResponseSchema, message));
  }

  #receive(message: StreamMessageRequest): void {
    if (!this.#open) return;
    const { update } = message;
    switch (update.case) {
      case "arbitration":
        this.arbitration.update(this, update.value);
        break;
      case "packet":
        this.#guard(this.#packetOut(update.value), {
          case: "packetOut",
          value: create(PacketOutErrorSchema, { packetOut: update.value }),
        });
        break;
      case "digestAck":
        this.#guard(this.#digestAck(update.value), {
          case: "digestListAck",
          value: create(DigestListAckErrorSchema, { digestListAck: update.value }),
        });
        break;
      default:
        this.#guard(
          Promise.reject(new DeviceError("UNIMPLEMENTED", "stream messages of this kind are not supported")),
          { case: "other", value: create(StreamOtherErrorSchema) },
        );
    }
  }

  /** Reports a failure as a StreamError (16.6). */
  #guard(task: Promise<void>, details: StreamError["details"]): void {
    task.catch((error) => {
      const { code, details: message } = statusOf(error);
      const report = create(StreamErrorSchema, { canonicalCode: code, message });
      report.details = details;
      const response = create(StreamMessageResponseSchema);
      response.update = { case: "error", value: report };
      this.#outbox.notify(toBinary(StreamMessageResponseSchema, response));
    });
  }

  async #packetOut(message: PacketOut): Promise<void> {
    this.#mustBePrimary("packets");
    await this.device.packetOut(decodePacketOut(this.#running().wire, message));
  }

  async #digestAck(message: DigestListAck): Promise<void> {
    this.#mustBePrimary("acknowledgements");
    const digest = this.#running().wire.index.digests.byId(message.digestId);
    if (digest === undefined) {
      throw new DeviceError("INVALID_ARGUMENT", `the program has no digest of id ${message.digestId}`);
    }
    await this.device.acknowledgeDigest(digest.name, message.listId);
  }

  #mustBePrimary(what: string): void {
    if (!this.arbitration.isPrimary(this)) {
      throw new DeviceError("PERMISSION_DENIED", `only the primary controller may send ${what}`);
    }
  }

  #running() {
    const { committed } = this.pipeline;
    if (committed === undefined) throw new DeviceError("FAILED_PRECONDITION", "no program is loaded");
    return committed;
  }
}

/**
 * Messages to one controller. When it reads too slowly, notifications that may be lost (packets, digests, idle timeouts:
 * P4Runtime spec 16) are dropped beyond a limit; arbitration updates are never dropped. A controller for which as many of those
 * wait as the limit has provoked them itself, or will never read.
 */
export interface Sink<T> {
  /** False when the receiver reads too slowly; the event `drain` reports that it has caught up. */
  write(message: T): boolean;
  once(event: "drain", listener: () => void): unknown;
}

/** Notifications that wait for a slow controller. */
const MAX_WAITING = 4096;

export class Outbox<T> {
  readonly #waiting: { readonly message: T; readonly isLasting: boolean }[] = [];
  /** How many of them may not be lost. */
  #lasting = 0;
  #blocked = false;
  #closed = false;
  /** Notifications dropped so far. */
  dropped = 0;

  constructor(
    private readonly sink: Sink<T>,
    /** Too many messages that may not be lost wait; the outbox is closed. */
    private readonly overflow: () => void,
    private readonly limit = MAX_WAITING,
  ) {}

  /** Sends a message, or keeps it until the controller reads again. */
  send(message: T): void {
    if (this.#closed) return;
    if (!this.#blocked) this.#write(message);
    else if (this.#lasting < this.limit) {
      this.#lasting++;
      this.#waiting.push({ message, isLasting: true });
    } else {
      this.close();
      this.overflow();
    }
  }

  /** Sends a message that may be lost. */
  notify(message: T): void {
    if (this.#closed) return;
    if (!this.#blocked) this.#write(message);
    else if (this.#waiting.length - this.#lasting < this.limit)
      this.#waiting.push({ message, isLasting: false });
    else this.dropped++;
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  #write(message: T): void {
    if (this.sink.write(message)) return;
    this.#blocked = true;
    this.sink.once("drain", () => this.#flush());
  }

  #flush(): void {
    this.#blocked = false;
    let sent = 0;
    while (sent < this.#waiting.length && !this.#blocked && !this.#closed) {
      const { message, isLasting } = this.#waiting[sent++]!;
      if (isLasting) this.#lasting--;
      this.#write(message);
    }
    this.#waiting.splice(0, sent);
  }
}
