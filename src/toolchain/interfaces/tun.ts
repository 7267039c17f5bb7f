/** TUN devices: packets that the kernel routes to a device are read here, and written packets go to the kernel. */
import { closeSync, constants, openSync } from "node:fs";
import { fail, systemErrorReason } from "../../base/index.js";
import { CODES } from "./codes.js";
import { ERROR, type Libc, libc, memory, systemError } from "./libc.js";
import { Readiness } from "./readiness.js";

const TUNSETIFF = 0x400454ca;
const IFF_TUN = 0x0001;
/** Packets without a header of the device before them. */
const IFF_NO_PI = 0x1000;
/** Sizes in `struct ifreq`: a name of at most 15 bytes and a zero, then a union. */
const NAME_BYTES = 16;
const REQUEST_BYTES = 40;

/** No packet is longer. */
const PACKET_BYTES = 65_535;
/** Packets that are read before other work gets its turn. */
const PACKETS_A_TURN = 64;

/** Free bytes before each packet that is read: room for headers. */
export const TUN_HEADROOM = 64;

/** Called with bytes of which `[TUN_HEADROOM, end)` is an IP packet. Their memory is used again after the call. */
export type PacketHandler = (bytes: Uint8Array<ArrayBuffer>, end: number) => void;

export class TunDevice {
  readonly #c: Libc;
  readonly #fd: number;
  readonly #room = memory(TUN_HEADROOM + PACKET_BYTES);
  readonly #space = new Uint8Array(this.#room.buffer, TUN_HEADROOM);
  readonly #readiness: Readiness;
  #running = false;
  #closed = false;

  /**
   * Makes a device in the process's network namespace; it vanishes with {@link close} or the process. No packet is read
   * before {@link start}. Fails with P40020 (not available here) or P40027 (the device cannot be made).
   */
  constructor(
    name: string,
    readonly onPacket: PacketHandler,
  ) {
    this.#c = libc();
    this.#fd = openTun(this.#c, name);
    this.#readiness = new Readiness(this.#c, () => this.#turn());
    this.#readiness.add(this.#fd, 0);
  }

  /** Reads packets from now on. If the device is removed, the process gets an uncaught exception. */
  start(): void {
    this.#running = true;
    this.#readiness.arm();
  }

  #turn(): void {
    if (!this.#running) return;
    if (this.read()) setImmediate(this.#nextTurn);
    else this.#readiness.arm();
  }

  /**
   * Reads packets that wait, a bounded number; false when no more do. A write may make the kernel answer at once: to read
   * then saves a turn of the event loop.
   */
  read(): boolean {
    const { onPacket } = this;
    for (let i = 0; i < PACKETS_A_TURN && this.#running; i++) {
      const length = this.#c.read(this.#fd, this.#space, PACKET_BYTES);
      if (length < 0) {
        const errno = this.#c.errno();
        // The device was removed from outside.
        if (errno !== ERROR.EAGAIN && errno !== ERROR.EINTR)
          throw systemError(this.#c, "read of a TUN device", errno);
        return false;
      }
      onPacket(this.#room, TUN_HEADROOM + length);
    }
    return this.#running;
  }

  readonly #nextTurn = (): void => this.#turn();

  /** Gives a packet to the kernel; false when it does not take it. */
  write(packet: Uint8Array): boolean {
    return this.#running && this.#c.write(this.#fd, packet, packet.length) >= 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#running = false;
    this.#readiness.close();
    this.#c.close(this.#fd);
  }
}

function openTun(c: Libc, name: string): number {
  const bytes = Buffer.from(name);
  if (bytes.length === 0 || bytes.length >= NAME_BYTES || bytes.includes(0))
    fail(
      CODES.tunDevice,
      undefined,
      `TUN device ${JSON.stringify(name)}: names of devices have 1 to 15 bytes`,
    );
  let fd: number;
  try {
    fd = openSync("/dev/net/tun", constants.O_RDWR | constants.O_NONBLOCK);
  } catch (error) {
    return fail(CODES.tunDevice, undefined, `/dev/net/tun: ${systemErrorReason(error)}`);
  }
  const request = memory(REQUEST_BYTES);
  request.set(bytes);
  request[NAME_BYTES] = IFF_TUN;
  request[NAME_BYTES + 1] = IFF_NO_PI >> 8;
  if (c.ioctl(fd, TUNSETIFF, request) === 0) return fd;
  const reason = systemErrorReason(systemError(c, "TUNSETIFF"));
  closeSync(fd);
  return fail(CODES.tunDevice, undefined, `TUN device ${name}: ${reason}`, "it takes root (CAP_NET_ADMIN)");
}
