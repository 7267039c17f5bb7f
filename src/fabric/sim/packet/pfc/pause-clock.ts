/** For how long one direction of a link is paused. Times in nanoseconds. */
export class PauseClock {
  #since = 0;
  #until = Number.NEGATIVE_INFINITY;
  #total = 0;

  /** Nothing is sent until this time, unless {@link resume} comes first. */
  pause(now: number, until: number): void {
    this.#settle(now);
    this.#since = now;
    this.#until = until;
  }

  resume(now: number): void {
    this.#settle(now);
    this.#until = Number.NEGATIVE_INFINITY;
  }

  get until(): number {
    return this.#until;
  }

  isPaused(now: number): boolean {
    return this.#until > now;
  }

  /** Nanoseconds of all pauses up to now. */
  total(now: number): number {
    this.#settle(now);
    return this.#total;
  }

  #settle(now: number): void {
    const end = Math.min(now, this.#until);
    if (end <= this.#since) return;
    this.#total += end - this.#since;
    this.#since = end;
  }
}
