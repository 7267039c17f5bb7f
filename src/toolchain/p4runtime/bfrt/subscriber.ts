/** The stream of one controller: it subscribes, and gets digests and the answers to its programs. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { StatusCode } from "../../device/index.js";
import {
  type StreamMessageRequest,
  StreamMessageRequestSchema,
  StreamMessageResponseSchema,
} from "../generated/bfrt_proto/bfruntime_pb.js";
import type { Call, CallHandler } from "../grpc/call.js";
import { Outbox } from "../server/stream.js";
import { codeNumber, statusOf } from "../status.js";

interface Owner {
  subscribed(wantsLearning: boolean): Promise<void>;
  closed(subscriber: Subscriber): void;
}

export class Subscriber implements CallHandler {
  readonly #outbox: Outbox<Uint8Array>;
  #wantsLearning = false;
  #open = true;

  constructor(
    private readonly call: Call,
    private readonly owner: Owner,
  ) {
    this.#outbox = new Outbox(call, () =>
      this.end("RESOURCE_EXHAUSTED", "the controller does not read its stream"),
    );
  }

  get wantsLearning(): boolean {
    return this.#wantsLearning;
  }

  message(bytes: Uint8Array): void {
    let message: StreamMessageRequest;
    try {
      message = fromBinary(StreamMessageRequestSchema, new Uint8Array(bytes));
    } catch {
      this.end("INTERNAL", "these bytes are no StreamMessageRequest");
      return;
    }
    const { update } = message;
    // Digests need no acknowledgement here: none is held back for one.
    if (update.case !== "subscribe") return;
    this.#wantsLearning = update.value.notifications?.enableLearnNotifications === true;
    this.owner.subscribed(this.#wantsLearning).then(
      () => this.#answer(0, ""),
      (error: unknown) => {
        const { code, details } = statusOf(error);
        this.#answer(code, details);
      },
    );
  }

  #answer(code: number, message: string): void {
    const response = create(StreamMessageResponseSchema, {
      update: { case: "subscribe", value: { status: { code, message } } },
    });
    this.#outbox.send(toBinary(StreamMessageResponseSchema, response));
  }

  notify(bytes: Uint8Array): void {
    this.#outbox.notify(bytes);
  }

  learned(bytes: Uint8Array): void {
    if (this.#wantsLearning) this.notify(bytes);
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
    this.owner.closed(this);
  }

  end(code: StatusCode, message: string): void {
    this.#close();
    this.call.fail({ code: codeNumber(code), details: message });
  }
}
