/** Reports interfaces of one namespace that go up and down: RTM_NEWLINK and RTM_DELLINK of rtnetlink(7). */
import { AF_NETLINK, ERROR, type Libc, memory, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_RAW } from "./libc.js";

const NETLINK_ROUTE = 0;
const RTMGRP_LINK = 1;
const RTM_NEWLINK = 16;
const RTM_DELLINK = 17;
const IFF_UP = 1;
/** The flag of the carrier. */
const IFF_LOWER_UP = 0x10000;
/** A message about one link with its statistics has less than 2 KiB; one read may return several messages. */
const READ_BYTES = 64 * 1024;
const HEADER_BYTES = 16;

export interface LinkEvents {
  /** An interface was reported, perhaps without a change. `up` means that it is up and has a carrier. */
  changed(index: number, up: boolean): void;
  /** Messages were lost: the state of every interface has to be read. */
  lost(): void;
}

export class LinkWatch {
  readonly fd: number;
  readonly #buffer = memory(READ_BYTES);
  readonly #view = new DataView(this.#buffer.buffer);

  /** Watches the current namespace. */
  constructor(
    readonly c: Libc,
    readonly events: LinkEvents,
  ) {
    this.fd = c.socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (this.fd < 0) throw new Error(`socket(AF_NETLINK): ${c.errorName(c.errno())}`);
    const address = memory(12);
    const view = new DataView(address.buffer);
    view.setUint16(0, AF_NETLINK, true);
    view.setUint32(8, RTMGRP_LINK, true);
    if (c.bind(this.fd, address, address.length) === 0) return;
    const why = c.errorName(c.errno());
    this.close();
    throw new Error(`bind(AF_NETLINK): ${why}`);
  }

  /** Reads the messages that wait. */
  read(): void {
    for (;;) {
      const length = this.c.recv(this.fd, this.#buffer, READ_BYTES, 0);
      if (length > 0) this.#messages(length);
      else if (length === 0) return;
      else {
        const errno = this.c.errno();
        if (errno === ERROR.EAGAIN) return;
        // ENOBUFS: more messages came than the socket holds.
        if (errno !== ERROR.EINTR) this.events.lost();
      }
    }
  }

  #messages(end: number): void {
    const view = this.#view;
    for (let at = 0; at + HEADER_BYTES <= end; ) {
      const length = view.getUint32(at, true);
      const type = view.getUint16(at + 4, true);
      if (length < HEADER_BYTES) return;
      // struct ifinfomsg: family, pad, type, index, flags, change.
      if ((type === RTM_NEWLINK || type === RTM_DELLINK) && length >= HEADER_BYTES + 16) {
        const index = view.getInt32(at + HEADER_BYTES + 4, true);
        const flags = view.getUint32(at + HEADER_BYTES + 8, true);
        const up = (flags & IFF_UP) !== 0 && (flags & IFF_LOWER_UP) !== 0;
        this.events.changed(index, type === RTM_NEWLINK && up);
      }
      at += (length + 3) & ~3;
    }
  }

  close(): void {
    this.c.close(this.fd);
  }
}
