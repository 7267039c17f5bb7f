/**
 * A controller's session (P4Runtime spec 5): opens the stream, sends the claims of `arbitration.ts`, and opens the stream
 * again with the same election id after a broken connection.
 */
import { create } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import { DeviceError } from "../../device/index.js";
import { electionIdMessage } from "../election.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  RoleSchema,
  type StreamMessageRequest,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
} from "../generated/p4/v1/p4runtime_pb.js";
import { codeName, deviceErrorOf } from "../status.js";
import { type ClaimAnswer, type ClaimOptions, ClientArbitration } from "./arbitration.js";
import type { P4RuntimeChannel, Stream } from "./channel.js";

/** Events of a session that no call of its user has caused. */
export type Notice =
  /** This controller may write again, after a reconnection. */
  | { kind: "primary"; electionId: bigint }
  /** Another controller took over, or there is no primary. */
  | { kind: "backup"; primary: bigint | undefined }
  | { kind: "disconnected"; reason: string }
  /** The switch could not do what a packet or acknowledgement asked. */
  | { kind: "streamError"; error: DeviceError };

/**
 * Runs a task once after a number of milliseconds; the result cancels it. A task in the `background` does not keep the process
 * alive.
 */
export type After = (ms: number, task: () => void, background?: boolean) => () => void;

/** {@link After} in real time. */
export const afterRealTime: After = (ms, task, background = false) => {
  const timer = setTimeout(task, ms);
  if (background) timer.unref();
  return () => clearTimeout(timer);
};

export interface SessionOptions extends ClaimOptions {
  readonly deviceId: bigint;
  /** Empty: the default role. */
  readonly role: string;
  /** Whether a lost stream is opened again: after 100 ms, then after twice the time before, at most 1 s. */
  readonly reconnect: boolean;
  /** Milliseconds within which the switch has to answer a claim. */
  readonly timeoutMs: number;
  readonly after: After;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1000;

export class Session {
  #stream: Stream | undefined;
  /** Waits for the next arbitration update, while we claim the role. */
  #waiting:
    | { resolve: (update: MasterArbitrationUpdate) => void; reject: (error: Error) => void }
    | undefined;
  readonly #arbitration: ClientArbitration;
  #closed = false;
  /** Between a lost connection and the end of `onRestored`. */
  #restoring = false;
  /** Callers of `whenPrimary`. */
  readonly #awaiting = new Set<() => void>();
  #cancelRetry: () => void = () => {};

  constructor(
    private readonly channel: Pick<P4RuntimeChannel, "address" | "openStream">,
    private readonly options: SessionOptions,
    private readonly onMessage: (message: StreamMessageResponse["update"]) => void,
    private readonly onNotice: (notice: Notice) => void,
    /** Before the session counts as restored after a reconnection; if it rejects, the next attempt follows. */
    private readonly onRestored: (primary: boolean) => Promise<void>,
  ) {
    this.#arbitration = new ClientArbitration(options);
  }

  /**
   * The election id for writes.
   * @throws DeviceError UNAVAILABLE without a stream, PERMISSION_DENIED when this controller is not primary
   */
  get electionId(): bigint {
    if (this.#closed)
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is closed`);
    if (this.#stream === undefined) {
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is lost`);
    }
    const { isPrimary, electionId } = this.#arbitration;
    if (!isPrimary || electionId === undefined) {
      throw new DeviceError("PERMISSION_DENIED", this.#arbitration.describe());
    }
    return electionId;
  }

  get isPrimary(): boolean {
    return this.#arbitration.isPrimary && this.#stream !== undefined;
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
    const claims = this.#arbitration.claims();
    for (let step = claims.next(); !step.done; ) step = claims.next(await this.#answer(step.value));
  }

  async #answer(electionId: bigint | undefined): Promise<ClaimAnswer> {
    try {
      return await this.#arbitrate(electionId);
    } catch (error) {
      const refused = error instanceof DeviceError && error.code === "INVALID_ARGUMENT";
      if (electionId !== undefined || !refused) throw error;
      this.#open();
      return "refused";
    }
  }

  #arbitrate(electionId: bigint | undefined): Promise<MasterArbitrationUpdate> {
    const { deviceId, role, timeoutMs } = this.options;
    const update = create(MasterArbitrationUpdateSchema, { deviceId });
    if (role !== "") update.role = create(RoleSchema, { name: role });
    if (electionId !== undefined) update.electionId = electionIdMessage(electionId);
    return new Promise((resolve, reject) => {
      const cancel = this.options.after(timeoutMs, () =>
        reject(new DeviceError("DEADLINE_EXCEEDED", `no answer to the arbitration in ${timeoutMs} ms`)),
      );
      this.#waiting = {
        resolve: (answer) => {
          cancel();
          resolve(answer);
        },
        reject: (error) => {
          cancel();
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
    const change = this.#arbitration.note(update);
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve(update);
    } else if (change !== undefined) this.#noticeRole();
  }

  #noticeRole(): void {
    const { isPrimary, electionId = 0n, primaryId } = this.#arbitration;
    if (!isPrimary) this.onNotice({ kind: "backup", primary: primaryId });
    else {
      this.onNotice({ kind: "primary", electionId });
      this.#settle();
    }
  }

  #settle(): void {
    for (const resolve of this.#awaiting) resolve();
    this.#awaiting.clear();
  }

  /** Resolves when this controller is primary and the session restored: at once, or after the switch has come back. */
  async whenPrimary(timeoutMs: number): Promise<void> {
    if (this.isPrimary && !this.#restoring) return;
    if (this.#closed)
      throw new DeviceError("UNAVAILABLE", `the connection to ${this.channel.address} is closed`);
    await new Promise<void>((resolve, reject) => {
      const settled = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.options.after(timeoutMs, () => {
        this.#awaiting.delete(settled);
        const why = this.#stream === undefined ? "the switch does not answer" : this.#arbitration.describe();
        reject(new DeviceError("DEADLINE_EXCEEDED", `${this.channel.address}: ${why} after ${timeoutMs} ms`));
      });
      this.#awaiting.add(settled);
    });
  }

  #lost(stream: Stream, error: DeviceError): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    this.#arbitration.disconnected();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#closed) return;
    // The code that claims the role or restores the session handles the loss.
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
    this.#cancelRetry = this.options.after(delayMs, () => void this.#restore(delayMs), true);
  }

  async #restore(delayMs: number): Promise<void> {
    if (this.#closed) return;
    try {
      this.#open();
      await this.#arbitrate(this.#arbitration.electionId);
      await this.onRestored(this.#arbitration.isPrimary);
      if (this.#stream === undefined) throw new DeviceError("UNAVAILABLE", "the connection was lost again");
      this.#restoring = false;
      this.#noticeRole();
    } catch {
      // The switch does not answer yet, or has not noticed yet that our old stream has ended.
      const stream = this.#stream;
      this.#stream = undefined;
      stream?.cancel();
      if (!this.#closed) this.#reconnect(Math.min(2 * delayMs, LAST_RETRY_MS));
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry();
    const stream = this.#stream;
    this.#stream = undefined;
    this.#arbitration.disconnected();
    stream?.on("error", () => {});
    stream?.end();
    stream?.cancel();
  }
}
