/** Packets that are not acknowledged, as a list that is searched as a whole: the second model of the message transport's `Flight`. */

export interface Sent {
  readonly number: number;
  readonly bytes: number;
  state: "flight" | "lost" | "arrived";
  attempt: number;
  transmission: number;
}

export class FlightModel {
  packets: Sent[] = [];
  first = 0;
  #made = 0;
  #transmissions = 0;
  #latest = -1;

  in(state: Sent["state"]): Sent[] {
    return this.packets.filter((one) => one.state === state);
  }

  oldest(): Sent | undefined {
    return this.in("flight").sort((a, b) => a.transmission - b.transmission)[0];
  }

  /** A new packet, or the lost one with the lowest number, leaves. */
  send(bytes: number): number {
    const again = this.in("lost").sort((a, b) => a.number - b.number)[0];
    const packet = again ?? {
      number: this.#made++,
      bytes,
      state: "lost" as const,
      attempt: -1,
      transmission: -1,
    };
    if (again === undefined) this.packets.push(packet);
    Object.assign(packet, {
      state: "flight",
      attempt: packet.attempt + 1,
      transmission: this.#transmissions++,
    });
    return packet.number;
  }

  arrived(number: number): boolean {
    const packet = this.packets.find((one) => one.number === number);
    if (packet === undefined || packet.state === "arrived") return false;
    packet.state = "arrived";
    if (packet.attempt === 0) this.#latest = Math.max(this.#latest, packet.transmission);
    return true;
  }

  arrivedBy(packet: Sent): void {
    this.#latest = Math.max(this.#latest, packet.transmission);
  }

  acknowledge(number: number): { packets: number; bytes: number } {
    const gone = this.packets.filter((one) => one.number < number);
    const packets = gone.filter((one) => this.arrived(one.number)).length;
    this.packets = this.packets.filter((one) => one.number >= number);
    this.first = Math.max(this.first, number);
    return { packets, bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  loseBefore(distance: number): number {
    const lost = this.in("flight").filter(({ transmission }) => this.#latest - transmission >= distance);
    for (const packet of lost) packet.state = "lost";
    return lost.length;
  }

  loseFrom(number: number): void {
    for (const packet of this.in("flight")) if (packet.number >= number) packet.state = "lost";
  }
}
