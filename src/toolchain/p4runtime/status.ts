/**
 * Errors on the wire (P4Runtime spec 10): the status of a call, and for a Write or Read one `p4.v1.Error` per
 * update or request, packed into a `google.rpc.Status` in the trailer `grpc-status-details-bin`.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { DeviceError, type StatusCode, type UpdateStatus } from "../device/index.js";
import { type Status, StatusSchema } from "./generated/google/rpc/status_pb.js";
import { type Error as ErrorMessage, ErrorSchema } from "./generated/p4/v1/p4runtime_pb.js";
import type { CallStatus } from "./grpc/call.js";

/** The name of the error space of this server, as `<target>-<arch>-<vendor>` (P4Runtime spec 10). */
const ERROR_SPACE = "p4loom-v1model-p4loom";
const TRAILER = "grpc-status-details-bin";
/**
 * A trailer beyond this many bytes (before base64) would be refused by clients: Node's HTTP/2 takes 64 KiB.
 * Later errors then go without message and space, which leaves room for the codes of about 1,000 updates.
 */
const TRAILER_BUDGET = 44 * 1024;
/**
 * A call whose trailer is beyond this never gets its answer: Node sends no larger header block. Such a batch
 * of failures has a status without details.
 */
const TRAILER_LIMIT = 60_000;
/** Size in bytes of a packed error that has a code only. */
const BARE_ERROR_BYTES = 39;

export function codeNumber(code: StatusCode): number {
  return status[code];
}

export function codeName(code: number): StatusCode {
  return (status[code] as StatusCode | undefined) ?? "UNKNOWN";
}

/** A Write or Read of which a part failed. */
export class BatchFailure extends Error {
  constructor(readonly status: CallStatus) {
    super(status.details);
  }
}

/** The status of a failed call; whatever is no `DeviceError` is a fault and INTERNAL. */
export function statusOf(error: unknown): CallStatus {
  if (error instanceof BatchFailure) return error.status;
  if (error instanceof DeviceError) return { code: codeNumber(error.code), details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

/** The same for one update of a batch. */
export function updateStatusOf(error: unknown): UpdateStatus {
  const { code, details } = statusOf(error);
  return { code: codeName(code), message: details };
}

export const OK: UpdateStatus = { code: "OK", message: "" };

/** UNKNOWN with one error per update: the answer to a Write or Read of which a part failed (12.3, 13.3). */
export function batchStatus(message: string, updates: readonly UpdateStatus[]): CallStatus {
  if (updates.length * BARE_ERROR_BYTES > TRAILER_LIMIT) {
    const first = updates.findIndex((update) => update.code !== "OK");
    const { code, message: why } = updates[first]!;
    const text = `${message}, too many to list all of them (use smaller batches); number ${first + 1}: ${code} ${why}`;
    return { code: status.UNKNOWN, details: text };
  }
  let budget = TRAILER_BUDGET - updates.length * BARE_ERROR_BYTES;
  const details = updates.map((update) => {
    const canonicalCode = codeNumber(update.code);
    if (update.code !== "OK" && budget > 0) {
      const full = create(ErrorSchema, { canonicalCode, message: update.message, space: ERROR_SPACE });
      const packed = anyPack(ErrorSchema, full);
      budget -= packed.value.length;
      if (budget >= 0) return packed;
    }
    return anyPack(ErrorSchema, create(ErrorSchema, { canonicalCode }));
  });
  const packed = toBinary(StatusSchema, create(StatusSchema, { code: status.UNKNOWN, message, details }));
  return { code: status.UNKNOWN, details: message, detailsBin: packed };
}

function unpackDetails(metadata: Metadata | undefined): UpdateStatus[] | undefined {
  const [packed] = metadata?.get(TRAILER) ?? [];
  if (!(packed instanceof Uint8Array)) return undefined;
  let details: Status["details"];
  try {
    details = fromBinary(StatusSchema, packed).details;
  } catch {
    return undefined;
  }
  const errors: ErrorMessage[] = [];
  for (const any of details) {
    const error = anyUnpack(any, ErrorSchema);
    if (error !== undefined) errors.push(error);
  }
  if (errors.length === 0) return undefined;
  return errors.map((error) => ({ code: codeName(error.canonicalCode), message: error.message }));
}

/** A failed call as the `DeviceError` with which a `Device` rejects. */
export function deviceErrorOf(error: ServiceError): DeviceError {
  const updates = unpackDetails(error.metadata);
  return new DeviceError(codeName(error.code), error.details || error.message, updates);
}
