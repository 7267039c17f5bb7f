/** The error of a device's operations. */

/** What a device refuses: the state of the device is unchanged by a refused update. */
export class DeviceError extends Error {
  constructor(
    readonly code: StatusCode,
    message: string,
    /** For a failed write: one status per update of the batch, in order. */
    readonly updates?: readonly UpdateStatus[],
  ) {
    super(message);
    this.name = "DeviceError";
  }
}

/** Canonical error space of gRPC (google.rpc.Code), by name. */
export type StatusCode =
  | "OK"
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "UNAUTHENTICATED";

export interface UpdateStatus {
  code: StatusCode;
  message: string;
}
