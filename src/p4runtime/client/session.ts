/**
 * A controller's session (P4Runtime spec 5): opens the stream, becomes primary or says who is, and after a
 * broken connection comes back with the same election id.
 */
import { create } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import { DeviceError } from "../../program/index.js";
import { electionIdMessage, electionIdOf } from "../election.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  RoleSchema,
  type StreamMessageRequest,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
} from "../generated/p4/v1/p4runtime_pb.js";
import { codeName, deviceErrorOf } from "../status.js";
import type { P4RuntimeChannel, Stream } from "./channel.js";

/** What happens to a session on its own. */
export type Notice =
  /** We may write again (after a reconnection). */
  | { kind: "primary"; electionId: bigint }
  /** Another controller took over, or there is no primary. */
  | { kind: "backup"; primary: bigint | undefined }
  | { kind: "disconnected"; reason: string }
  /** The switch could not do what a packet or acknowledgement asked. */
  | { kind: "streamError"; error: DeviceError };

export interface SessionOptions {
  readonly deviceId: bigint;
  /** Empty: the default role. */
  readonly role: string;
  /** Fixed election id; absent: one more than the highest that the switch has seen. */
  readonly electionId: bigint | undefined;
  /** Become primary even if another controller is. */
  readonly takeOver: boolean;
  readonly reconnect: boolean;
  readonly timeoutMs: number;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1000;

export class Session {
  #stream: Stream | undefined;
  /** Waits for the next arbitration update, while we claim the role. */
  #waiting:
    | { resolve: (update: MasterArbitrationUpdate) => void; reject: (error: Error) => void }
    | undefined;
  #electionId: bigint | undefined;
  #primary = false;
  #primaryId: bigint | undefined;
  #closed = false;
  /** Between a lost connection and the end of `onRestored`. */
  #restoring = false;
  readonly #hoping = new Set<() => void>();
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly channel: P4RuntimeChannel,
    private readonly options: SessionOptions,
    private readonly onMessage: (message: StreamMessageResponse["update"]) => void,
    private readonly onNotice: (notice: Notice) => void,
    /** Before the session counts as restored after a reconnection; if it rejects, the next attempt follows. */
    private readonly onRestored: (primary: boolean) => Promise<void>,
  ) {
    this.#electionId = options.electionId;
  }

  /** The election id that our writes carry; rejected locally when we are not primary. */
  get electionId(): bigint {
    if (this.#closed)
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is closed`);
    if (this.#stream === undefined) {
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is lost`);
    }
    if (!this.#primary || this.#electionId === undefined) {
      throw new DeviceError("PERMISSION_DENIED", `not primary: ${this.#who()}`);
    }
    return this.#electionId;
  }

  get isPrimary(): boolean {
    return this.#primary && this.#stream !== undefined;
  }

  #who(): string {
    if (this.#primaryId === undefined) return "there is no primary";
    const own = this.#electionId === undefined ? "" : `; ours is ${this.#electionId}`;
    return `the controller with election id ${this.#primaryId} is${own}`;
  }

  /** Opens the stream and claims the role; rejects with PERMISSION_DENIED when another controller holds it. */
  async start(): Promise<void> {
    this.#open();
    try {
      await this.#claim();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #claim(): Promise<void> {
    const { takeOver } = this.options;
    if (this.#electionId === undefined) {
      const seen = await this.#probe();
      if (seen.taken && !takeOver) {
        throw new DeviceError("PERMISSION_DENIED", `not primary: ${this.#who()}`);
      }
      this.#electionId = (seen.highest ?? 0n) + 1n;
    }
    let update = await this.#arbitrate(this.#electionId);
    if (!isOk(update) && takeOver && this.options.electionId === undefined) {
      this.#electionId = (electionIdOf(update.electionId) ?? 0n) + 1n;
      update = await this.#arbitrate(this.#electionId);
    }
    if (!isOk(update)) throw new DeviceError("PERMISSION_DENIED", `not primary: ${this.#who()}`);
  }

  /** Asks without an election id, which never makes a primary, for the highest one in use. */
  async #probe(): Promise<{ highest: bigint | undefined; taken: boolean }> {
    try {
      const update = await this.#arbitrate(undefined);
      const code = codeName(update.status?.code ?? 0);
      // BMv2 reads an unset id as 0 and may make us primary: then nobody else is
      return { highest: electionIdOf(update.electionId), taken: code === "ALREADY_EXISTS" };
    } catch (error) {
      if (!(error instanceof DeviceError) || error.code !== "INVALID_ARGUMENT") throw error;
      // BMv2 refuses a second controller without an id: the first claim will tell more
      this.#open();
      return { highest: 0n, taken: false };
    }
  }

  #arbitrate(electionId: bigint | undefined): Promise<MasterArbitrationUpdate> {
    const { deviceId, role, timeoutMs } = this.options;
    const update = create(MasterArbitrationUpdateSchema, { deviceId });
    if (role !== "") update.role = create(RoleSchema, { name: role });
    if (electionId !== undefined) update.electionId = electionIdMessage(electionId);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new DeviceError("DEADLINE_EXCEEDED", `no answer to the arbitration in ${timeoutMs} ms`)),
        timeoutMs,
      );
      this.#waiting = {
        resolve: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#send({ case: "arbitration", value: update });
    });
  }

  #send(update: StreamMessageRequest["update"]): boolean {
    const message = create(StreamMessageRequestSchema);
    message.update = update;
    return this.#stream!.write(message);
  }

  /** Sends a packet or an acknowledgement; resolves when the stream takes more. */
  async send(update: StreamMessageRequest["update"]): Promise<void> {
    if (this.#stream === undefined) {
      throw new DeviceError("UNAVAILABLE", `there is no stream to ${this.channel.address}`);
    }
    const stream = this.#stream;
    if (this.#send(update)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off("drain", done);
        stream.off("close", done);
        resolve();
      };
      stream.once("drain", done);
      stream.once("close", done);
    });
  }

  #open(): void {
    const stream = this.channel.openStream();
    this.#stream = stream;
    stream.on("data", (message: StreamMessageResponse) => {
      if (stream === this.#stream) this.#receive(message);
    });
    stream.on("error", (error: ServiceError) => this.#lost(stream, deviceErrorOf(error)));
    stream.on("end", () => this.#lost(stream, new DeviceError("UNAVAILABLE", "the switch ended the stream")));
  }

  #receive(message: StreamMessageResponse): void {
    const { update } = message;
    if (update.case === "arbitration") this.#arbitrated(update.value);
    else if (update.case === "error") {
      const { canonicalCode, message: text } = update.value;
      const error = new DeviceError(codeName(canonicalCode), text);
      this.onNotice({ kind: "streamError", error });
    } else this.onMessage(update);
  }

  #arbitrated(update: MasterArbitrationUpdate): void {
    const was = this.#primary;
    this.#primary = isOk(update);
    const none = codeName(update.status?.code ?? 0) === "NOT_FOUND";
    this.#primaryId = none ? undefined : electionIdOf(update.electionId);
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve(update);
    } else if (was && !this.#primary) this.onNotice({ kind: "backup", primary: this.#primaryId });
    else if (!was && this.#primary) {
      this.onNotice({ kind: "primary", electionId: this.#electionId ?? 0n });
      this.#settle();
    }
  }

  #settle(): void {
    for (const resolve of this.#hoping) resolve();
    this.#hoping.clear();
  }

  /** Resolves when we are primary and restored: at once, or after the switch has come back. */
  async whenPrimary(timeoutMs: number): Promise<void> {
    if (this.isPrimary && !this.#restoring) return;
    if (this.#closed)
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is closed`);
    await new Promise<void>((resolve, reject) => {
      const settled = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#hoping.delete(settled);
        const why = this.#stream === undefined ? "the switch does not answer" : `not primary: ${this.#who()}`;
        reject(new DeviceError("DEADLINE_EXCEEDED", `${this.channel.address}: ${why} after ${timeoutMs} ms`));
      }, timeoutMs);
      this.#hoping.add(settled);
    });
  }

  #lost(stream: Stream, error: DeviceError): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    this.#primary = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#closed) return;
    // while we claim the role or restore the session, whoever does so decides what comes next
    if (waiting !== undefined || this.#restoring) {
      waiting?.reject(error);
      return;
    }
    this.onNotice({ kind: "disconnected", reason: error.message });
    if (!this.options.reconnect) return;
    this.#restoring = true;
    this.#reconnect(FIRST_RETRY_MS);
  }

  #reconnect(delayMs: number): void {
    this.#retry = setTimeout(async () => {
      if (this.#closed) return;
      try {
        this.#open();
        const update = await this.#arbitrate(this.#electionId);
        await this.onRestored(isOk(update));
        if (this.#stream === undefined) throw new DeviceError("UNAVAILABLE", "the connection was lost again");
        this.#restoring = false;
        if (this.#primary) {
          this.onNotice({ kind: "primary", electionId: this.#electionId ?? 0n });
          this.#settle();
        } else this.onNotice({ kind: "backup", primary: this.#primaryId });
      } catch {
        // the switch is still away, or has not noticed yet that our old stream is gone
        const stream = this.#stream;
        this.#stream = undefined;
        stream?.cancel();
        if (!this.#closed) this.#reconnect(Math.min(2 * delayMs, LAST_RETRY_MS));
      }
    }, delayMs);
    this.#retry.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    const stream = this.#stream;
    this.#stream = undefined;
    this.#primary = false;
    stream?.on("error", () => {});
    stream?.end();
    stream?.cancel();
  }
}

function isOk(update: MasterArbitrationUpdate): boolean {
  return (update.status?.code ?? 0) === 0;
}
