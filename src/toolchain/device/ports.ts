/** Ports of a switch that can be added and removed while it runs. */

/** What a port is joined to. */
export type PortAttachment =
  | {
      readonly kind: "interface";
      /** Name of a Linux network interface. */
      readonly name: string;
      /** Name or path of its network namespace; absent: that of the switch. */
      readonly namespace?: string;
    }
  | {
      readonly kind: "files";
      /** Frames come from the pcap file NAME_in.pcap and leave to NAME_out.pcap. */
      readonly name: string;
    };

export interface PortDescription {
  readonly port: number;
  readonly attachment: PortAttachment;
  readonly up: boolean;
  /** Number of frames that were received and sent since the port was added. */
  readonly received: number;
  readonly sent: number;
  /** Received frames that were not accepted, because the switch was too slow or because no wire carries such frames. */
  readonly receiveDrops: number;
  /** Frames that the interface did not take. */
  readonly sendDrops: number;
}

/** Methods reject with a `DeviceError`; nothing has changed then. */
export interface PortControl {
  /** Frames pass when it resolves. */
  add(port: number, attachment: PortAttachment): Promise<void>;
  remove(port: number): Promise<void>;
  /** By number. */
  list(): Promise<readonly PortDescription[]>;
}
