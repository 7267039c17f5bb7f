/** Where packets leave. */

/** Destination of frames that have left their queue and egress. */
export interface Output {
  transmit(port: number, frame: Uint8Array): void;
}
