/**
 * Arbitration from the view of a controller (P4Runtime spec 5): the election id that it claims, whether it is primary, and the
 * election id of the primary. Uses neither streams nor time.
 */
import { DeviceError } from "../../device/index.js";
import { electionIdOf } from "../election.js";
import type { MasterArbitrationUpdate } from "../generated/p4/v1/p4runtime_pb.js";
import { codeName } from "../status.js";

export interface ClaimOptions {
  /**
   * A number: this election id. "highest": the highest that the switch has seen, or 1, so that a later controller
   * with that id is not refused. Undefined: one more than the highest.
   */
  readonly electionId: bigint | "highest" | undefined;
  /** Become primary even if another controller is. */
  readonly takeOver: boolean;
}

/** The answer to a claim. "refused": the switch ended the stream because the claim had no election id, as BMv2 may. */
export type ClaimAnswer = Pick<MasterArbitrationUpdate, "status" | "electionId"> | "refused";

export class ClientArbitration {
  #electionId: bigint | undefined;
  #primary = false;
  #primaryId: bigint | undefined;

  constructor(private readonly options: ClaimOptions) {
    if (typeof options.electionId === "bigint") this.#electionId = options.electionId;
  }

  /** The claimed election id; undefined before the first claim. */
  get electionId(): bigint | undefined {
    return this.#electionId;
  }

  get isPrimary(): boolean {
    return this.#primary;
  }

  /** The election id of the primary, as the switch last reported it; undefined when there is no primary. */
  get primaryId(): bigint | undefined {
    return this.#primaryId;
  }

  /** For messages: why this controller is not primary. */
  describe(): string {
    if (this.#primaryId === undefined) return "not primary: there is no primary";
    const own = this.#electionId === undefined ? "" : `; ours is ${this.#electionId}`;
    return `not primary: the controller with election id ${this.#primaryId} is${own}`;
  }

  /**
   * The claims that make this controller primary: each value is the election id of the next arbitration update to send
   * (undefined: none), and is resumed with the answer, which {@link note} has seen before.
   * @throws DeviceError PERMISSION_DENIED when another controller is primary and may not be displaced
   */
  *claims(): Generator<bigint | undefined, void, ClaimAnswer> {
    const { electionId, takeOver } = this.options;
    if (this.#electionId === undefined) {
      // a claim without an election id never makes a primary, and its answer has the highest id in use
      const seen = yield undefined;
      // BMv2 takes an unset id for 0 and may make us primary, or refuses a second controller without an id
      const taken = seen !== "refused" && codeOf(seen) === "ALREADY_EXISTS";
      if (taken && !takeOver) this.#refuse();
      const highest = (seen === "refused" ? undefined : electionIdOf(seen.electionId)) ?? 0n;
      // a live primary has the highest id, which two controllers cannot have
      const repeated = electionId === "highest" && highest > 0n && !taken;
      this.#electionId = repeated ? highest : highest + 1n;
    }
    let answer = yield this.#electionId;
    if (!isOk(answer) && takeOver && typeof electionId !== "bigint") {
      const highest = answer === "refused" ? undefined : electionIdOf(answer.electionId);
      this.#electionId = (highest ?? 0n) + 1n;
      answer = yield this.#electionId;
    }
    if (!isOk(answer)) this.#refuse();
  }

  #refuse(): never {
    throw new DeviceError("PERMISSION_DENIED", this.describe());
  }

  /** Handles an arbitration update of the switch; returns whether this controller became primary or backup. */
  note(update: Exclude<ClaimAnswer, "refused">): "gained" | "lost" | undefined {
    const before = this.#primary;
    this.#primary = isOk(update);
    this.#primaryId = codeOf(update) === "NOT_FOUND" ? undefined : electionIdOf(update.electionId);
    if (before === this.#primary) return undefined;
    return this.#primary ? "gained" : "lost";
  }

  /** The stream has ended: this controller is not primary any more. */
  disconnected(): void {
    this.#primary = false;
  }
}

function codeOf(answer: Exclude<ClaimAnswer, "refused">) {
  return codeName(answer.status?.code ?? 0);
}

function isOk(answer: ClaimAnswer): boolean {
  return answer !== "refused" && codeOf(answer) === "OK";
}
