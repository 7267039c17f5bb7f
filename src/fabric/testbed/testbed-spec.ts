/** What a testbed consists of. */

export interface TestbedSpec {
  readonly name: string;
  readonly hosts: readonly TestbedHost[];
  readonly switches: readonly TestbedSwitch[];
  /** Every interface of a host and of a switch belongs to exactly one link. */
  readonly links: readonly TestbedLink[];
}

/** `switch`: `p4loom switch`; `bmv2`: simple_switch_grpc. */
export type SwitchEngine = (typeof SWITCH_ENGINES)[number];

export interface TestbedHost {
  readonly name: string;
  readonly interfaces: readonly TestbedInterface[];
  /** Shell lines that run in the host, in this order, when all interfaces are up. */
  readonly commands: readonly string[];
}

export interface TestbedSwitch {
  readonly name: string;
  readonly deviceId: bigint;
  readonly ports: readonly TestbedPort[];
  readonly cpuPort?: number;
  readonly priorityQueues?: number;
  /** TCP port on 127.0.0.1 for other P4Runtime controllers: this one (0: any), or the first free one from it on. */
  readonly grpcPort?: number | PortFrom;
}

export interface TestbedLink {
  readonly a: TestbedEnd;
  readonly b: TestbedEnd;
  /** Bits per second, each way; absent: as fast as the machine can. */
  readonly rateBps?: number;
  /** Nanoseconds one way; absent or 0: no additional delay. */
  readonly delayNs?: number;
}

export const SWITCH_ENGINES = ["switch", "bmv2"] as const;

export interface TestbedInterface {
  /** Its name inside the host, such as `eth0`; at most 15 characters. */
  readonly name: string;
  /** 48 bits. */
  readonly mac: bigint;
  readonly ipv4?: InterfaceAddress;
  readonly ipv6?: InterfaceAddress;
  /** Bytes; default 1500. */
  readonly mtu?: number;
}

export interface TestbedPort {
  /** 0 to 510. */
  readonly number: number;
  /** Unique in the testbed; at most 15 characters. */
  readonly interface: string;
  /** Bits per second at which the switch itself sends, so that its queue fills; absent: as fast as the kernel takes frames. */
  readonly rateBps?: number;
}

/** The first free TCP port from this one on, so that testbeds of the same kind can run side by side. */
export interface PortFrom {
  readonly from: number;
}

export interface TestbedEnd {
  /** Name of a host or switch. */
  readonly node: string;
  /** One of the node's interfaces. */
  readonly interface: string;
}

/** An address and the length of its network's prefix. */
export interface InterfaceAddress {
  readonly address: bigint;
  readonly length: number;
}
