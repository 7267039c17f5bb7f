/**
 * The packets of a sender that are not acknowledged. A packet is in flight, lost (it will be sent again), or reported as arrived while an
 * earlier one is missing. Each transmission has a number, in the order of their times.
 */

/** A packet that has been sent. */
export interface SentPacket {
  readonly number: number;
  /** Payload; and the position of its first byte among all bytes. */
  readonly bytes: number;
  readonly position: number;
  readonly last: boolean;
  state: "flight" | "lost" | "arrived";
  /** How often it was sent before its latest transmission. */
  attempt: number;
  /** Number of its latest transmission; when its last bit leaves the host. */
  transmission: number;
  leavesAt: number;
}

interface Transmission {
  readonly packet: SentPacket;
  readonly number: number;
}

/** Transmissions that are over before their memory is given back. */
const MOST_SKIPPED = 1024;

export class Flight {
  readonly #packets = new Map<number, SentPacket>();
  /** In their order; those of packets that were sent again or have arrived are skipped. */
  readonly #transmissions: Transmission[] = [];
  #head = 0;
  /** Numbers of lost packets, ascending. */
  readonly #lost: number[] = [];
  #nextTransmission = 0;
  #inFlight = 0;
  /** Of all transmissions that were reported, the latest. */
  #latestArrived = -1;
  /** The first packet that is not acknowledged, and the next new one. */
  first = 0;
  next = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  get hasLost(): boolean {
    return this.#lost.length > 0;
  }

  packet(number: number): SentPacket | undefined {
    return this.#packets.get(number);
  }

  /** A new packet, before its first transmission. */
  add(bytes: number, position: number, last: boolean): SentPacket {
    const packet: SentPacket = {
      number: this.next++,
      bytes,
      position,
      last,
      state: "lost",
      attempt: -1,
      transmission: -1,
      leavesAt: 0,
    };
    this.#packets.set(packet.number, packet);
    return packet;
  }

  /** The lost packet with the lowest number, which is about to be sent again; only where {@link hasLost}. */
  takeLost(): SentPacket {
    return this.#packets.get(this.#lost.shift()!)!;
  }

  /** The packet is sent, its last bit at that time. */
  sent(packet: SentPacket, leavesAt: number): void {
    packet.state = "flight";
    packet.attempt++;
    packet.transmission = this.#nextTransmission++;
    packet.leavesAt = leavesAt;
    this.#inFlight++;
    this.#transmissions.push({ packet, number: packet.transmission });
  }

  /** The earliest transmission that is still in flight. */
  oldest(): SentPacket | undefined {
    const all = this.#transmissions;
    for (; this.#head < all.length; this.#head++) {
      const { packet, number } = all[this.#head]!;
      if (packet.state === "flight" && packet.transmission === number) return packet;
    }
    all.length = 0;
    this.#head = 0;
    return undefined;
  }

  /** The packet has arrived; true where that is new. */
  arrived(number: number): boolean {
    const packet = this.#packets.get(number);
    if (packet === undefined || packet.state === "arrived") return false;
    this.#leave(packet);
    packet.state = "arrived";
    this.#latestArrived = Math.max(this.#latestArrived, packet.attempt === 0 ? packet.transmission : -1);
    return true;
  }

  /** Which transmission of a packet has arrived, where that is known: later losses are found by it. */
  arrivedBy(packet: SentPacket): void {
    this.#latestArrived = Math.max(this.#latestArrived, packet.transmission);
  }

  /** All packets below `number` have arrived, and are forgotten. Returns how many of them were not known to have arrived, and their bytes. */
  acknowledge(number: number): { packets: number; bytes: number } {
    let [packets, bytes] = [0, 0];
    for (; this.first < number; this.first++) {
      if (this.arrived(this.first)) packets++;
      bytes += this.#packets.get(this.first)!.bytes;
      this.#packets.delete(this.first);
    }
    if (this.#head > MOST_SKIPPED) {
      this.#transmissions.splice(0, this.#head);
      this.#head = 0;
    }
    return { packets, bytes };
  }

  /** Marks what was sent at least `distance` transmissions before one that has arrived as lost; returns how many packets. */
  loseBefore(distance: number): number {
    let lost = 0;
    for (let packet = this.oldest(); packet !== undefined; packet = this.oldest()) {
      if (packet.transmission + distance > this.#latestArrived) break;
      this.lose(packet);
      lost++;
    }
    return lost;
  }

  lose(packet: SentPacket): void {
    this.#leave(packet);
    packet.state = "lost";
    let at = this.#lost.length;
    while (at > 0 && this.#lost[at - 1]! > packet.number) at--;
    this.#lost.splice(at, 0, packet.number);
  }

  /** Go-back-N: everything that was sent from this packet on is sent again, in order. */
  loseFrom(number: number): void {
    for (let i = Math.max(number, this.first); i < this.next; i++) {
      const packet = this.#packets.get(i)!;
      if (packet.state === "flight") this.lose(packet);
    }
  }

  #leave(packet: SentPacket): void {
    if (packet.state === "flight") this.#inFlight--;
    else if (packet.state === "lost") {
      const at = this.#lost.indexOf(packet.number);
      if (at >= 0) this.#lost.splice(at, 1);
    }
  }
}
