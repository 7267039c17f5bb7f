/** Packet trimming (NDP, SIGCOMM 2017; Ultra Ethernet): what switches and hosts of a network agree on. */
export interface TrimOptions {
  /** Bytes of frames that may wait in the queue for headers of each port of a switch. */
  readonly queueBytes: number;
  /** Length of a cut frame, from the Ethernet header on, without an overlay's header between switches. */
  readonly length: number;
  /** After so many frames of the queue for headers in a row, a waiting one of data leaves; absent: none while a header waits. */
  readonly perPacket?: number | undefined;
  /** Whether answers of the message transport wait with the headers, and not with the data. */
  readonly answersFirst: boolean;
}
