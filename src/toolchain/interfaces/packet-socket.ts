/** AF_PACKET sockets (packet(7)): all frames of one interface, in or out. */
import { fail } from "../../base/index.js";
import { CODES } from "./codes.js";
import {
  AF_PACKET,
  ERROR,
  holding,
  type Libc,
  memory,
  SOCK_CLOEXEC,
  SOCK_NONBLOCK,
  SOCK_RAW,
  SOL_PACKET,
  SOL_SOCKET,
} from "./libc.js";

const ETH_P_ALL_BIG_ENDIAN = 0x0300;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_ATTACH_FILTER = 26;
const SO_SNDBUFFORCE = 32;
const SO_RCVBUFFORCE = 33;
const PACKET_ADD_MEMBERSHIP = 1;
const PACKET_STATISTICS = 6;
const PACKET_AUXDATA = 8;
const PACKET_VNET_HDR = 15;
const PACKET_IGNORE_OUTGOING = 23;
const PACKET_MR_PROMISC = 1;
const SIOCGIFFLAGS = 0x8913;
const SIOCGIFHWADDR = 0x8927;
const SIOCGIFINDEX = 0x8933;
const SIOCETHTOOL = 0x8946;
const ETHTOOL_GLINK = 10;
const IFF_UP = 1;
const IFF_RUNNING = 0x40;
/** Link types whose frames begin with an Ethernet header. */
const ARPHRD_ETHER = 1;
const ARPHRD_LOOPBACK = 772;

/** Memory in the kernel for frames that wait for the switch, or for the wire: some 3000 frames of 1500 bytes. */
const BUFFER_BYTES = 8 * 1024 * 1024;
/** Sizes in `struct ifreq`: a name of at most 15 bytes and a zero, then a union. */
const NAME_BYTES = 16;
const REQUEST_BYTES = 40;

export interface Interface {
  readonly name: string;
  readonly index: number;
}

/** A socket of the current namespace that receives nothing yet. Fails with P40022 without permission. */
function packetSocket(c: Libc): number {
  const fd = c.socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd >= 0) return fd;
  const errno = c.errno();
  if (errno === ERROR.EPERM) {
    fail(
      CODES.notPermitted,
      undefined,
      "no permission to open network interfaces",
      "run as root, or give Node the capability CAP_NET_RAW; or use pcap files: --use-files 0",
    );
  }
  throw new Error(`socket(AF_PACKET): ${c.errorName(errno)}`);
}

/** Looks up an interface in the current namespace. Fails with P40021 (no such interface) or P40025 (not Ethernet). */
function lookUp(c: Libc, fd: number, name: string, where: string): Interface {
  const request = requestOf(name);
  if (request === undefined || c.ioctl(fd, SIOCGIFINDEX, request) < 0) {
    const note =
      request === undefined
        ? "names of interfaces have 1 to 15 bytes"
        : "`ip link` lists those there are; make it before the switch starts, or leave out its -i";
    fail(CODES.noInterface, undefined, `no interface ${name}${where}`, note);
  }
  const index = view(request).getInt32(NAME_BYTES, true);
  const again = requestOf(name)!;
  if (c.ioctl(fd, SIOCGIFHWADDR, again) < 0)
    fail(CODES.noInterface, undefined, `no interface ${name}${where}`);
  const kind = view(again).getUint16(NAME_BYTES, true);
  if (kind !== ARPHRD_ETHER && kind !== ARPHRD_LOOPBACK) {
    fail(
      CODES.noEthernet,
      undefined,
      `interface ${name}${where} carries no Ethernet frames (link type ${kind})`,
    );
  }
  return { name, index };
}

function requestOf(name: string): Uint8Array | undefined {
  const bytes = Buffer.from(name);
  if (bytes.length === 0 || bytes.length >= NAME_BYTES || bytes.includes(0)) return undefined;
  const request = new Uint8Array(REQUEST_BYTES);
  request.set(bytes);
  return request;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Two sockets of one interface. Received frames have a header that describes their checksum; frames that leave have
 * none. Frames that leave do not come in again. Frames to any address are received.
 */
export class PacketSocket {
  readonly interface: Interface;
  readonly input: number;
  readonly output: number;
  #drops = 0;

  /**
   * Opens the interface in the current namespace; no frame is received before {@link listen}.
   * @param where for messages: " in namespace ..." or an empty text
   */
  constructor(
    readonly c: Libc,
    name: string,
    where: string,
  ) {
    this.input = packetSocket(c);
    this.output = -1;
    try {
      this.output = packetSocket(c);
      this.interface = lookUp(c, this.input, name, where);
      this.#option(this.input, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
      this.#option(this.input, SOL_PACKET, PACKET_AUXDATA, 1);
      this.#option(this.input, SOL_PACKET, PACKET_VNET_HDR, 1);
      this.#buffer(this.input, SO_RCVBUFFORCE, SO_RCVBUF);
      this.#buffer(this.output, SO_SNDBUFFORCE, SO_SNDBUF);
      this.#bind(this.output, 0);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Fails with P40022 where the process may not open interfaces. */
  static try(c: Libc): void {
    c.close(packetSocket(c));
  }

  /** Receives frames from now on. */
  listen(): void {
    const membership = new Uint8Array(16);
    view(membership).setInt32(0, this.interface.index, true);
    view(membership).setUint16(4, PACKET_MR_PROMISC, true);
    this.#bind(this.input, ETH_P_ALL_BIG_ENDIAN);
    this.#set(this.input, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership);
  }

  /** Receives no more frames; those that wait can still be read. */
  deafen(): void {
    // A filter of one instruction, "return 0", accepts no byte of any frame.
    const code = memory(8);
    view(code).setUint16(0, 0x06, true);
    const program = memory(16);
    view(program).setUint16(0, 1, true);
    holding([code], () => {
      view(program).setBigUint64(8, this.c.address(code), true);
      this.#set(this.input, SOL_SOCKET, SO_ATTACH_FILTER, program);
    });
  }

  /** Whether frames can pass: the interface is up and has a carrier. */
  up(): boolean {
    const request = requestOf(this.interface.name)!;
    if (this.c.ioctl(this.output, SIOCGIFFLAGS, request) < 0) return false;
    const flags = view(request).getUint16(NAME_BYTES, true);
    if ((flags & IFF_UP) === 0) return false;
    // IFF_RUNNING follows the carrier up to a second later, but every kind of interface has it.
    const value = memory(8);
    const asked = requestOf(this.interface.name)!;
    view(value).setUint32(0, ETHTOOL_GLINK, true);
    const known = holding([value], () => {
      view(asked).setBigUint64(NAME_BYTES, this.c.address(value), true);
      return this.c.ioctl(this.output, SIOCETHTOOL, asked) === 0;
    });
    return known ? view(value).getUint32(4, true) !== 0 : (flags & IFF_RUNNING) !== 0;
  }

  /** Frames that the kernel dropped since {@link listen}, because they were not read soon enough. */
  drops(): number {
    const statistics = new Uint32Array(2);
    const length = new Uint32Array([8]);
    // Reading sets the kernel's counters to 0.
    if (this.c.getsockopt(this.input, SOL_PACKET, PACKET_STATISTICS, statistics, length) === 0) {
      this.#drops += statistics[1]!;
    }
    return this.#drops;
  }

  close(): void {
    this.c.close(this.input);
    if (this.output >= 0) this.c.close(this.output);
  }

  #bind(fd: number, protocol: number): void {
    const address = new Uint8Array(20);
    view(address).setUint16(0, AF_PACKET, true);
    view(address).setUint16(2, protocol, true);
    view(address).setInt32(4, this.interface.index, true);
    if (this.c.bind(fd, address, address.length) < 0) this.#failed("bind");
  }

  /** Without CAP_NET_ADMIN a buffer is at most as large as net.core.rmem_max or wmem_max. */
  #buffer(fd: number, forced: number, asked: number): void {
    const value = new Uint32Array([BUFFER_BYTES]);
    if (this.c.setsockopt(fd, SOL_SOCKET, forced, value, 4) === 0) return;
    this.#set(fd, SOL_SOCKET, asked, value);
  }

  #option(fd: number, level: number, name: number, value: number): void {
    this.#set(fd, level, name, new Uint32Array([value]));
  }

  #set(fd: number, level: number, name: number, value: Uint8Array | Uint32Array): void {
    if (this.c.setsockopt(fd, level, name, value, value.byteLength) < 0) this.#failed(`option ${name}`);
  }

  #failed(what: string): never {
    const errno = this.c.errno();
    const { name } = this.interface;
    if (errno === ERROR.EPERM) {
      fail(CODES.notPermitted, undefined, `no permission for interface ${name} (${what})`, "run as root");
    }
    if (errno === ERROR.ENODEV) fail(CODES.noInterface, undefined, `interface ${name} is gone`);
    throw new Error(`interface ${name}: ${what}: ${this.c.errorName(errno)}`);
  }
}
