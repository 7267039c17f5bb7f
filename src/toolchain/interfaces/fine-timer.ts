/** A timer in microseconds (timerfd_create(2)); timers of Node count whole milliseconds. */
import { type Libc, libc, memory, missing } from "./libc.js";
import { LoopAlarm } from "./loop-alarm.js";

const CLOCK_MONOTONIC = 1;
const TFD_NONBLOCK = 0o4000;
const TFD_CLOEXEC = 0o2000000;

export class FineTimer {
  readonly #count = memory(8);
  /** struct itimerspec: an interval of 0, then a time; each in seconds and nanoseconds. */
  readonly #setting = new BigInt64Array(4);
  #alarm: LoopAlarm | undefined;
  #armed = false;

  private constructor(
    readonly c: Libc,
    readonly fd: number,
    readonly onTime: () => void,
  ) {}

  /** Returns undefined where the system has no such timer; use Node's timers then. */
  static make(onTime: () => void): FineTimer | undefined {
    if (missing() !== undefined) return undefined;
    const c = libc();
    const fd = c.timerCreate(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) return undefined;
    const timer = new FineTimer(c, fd, onTime);
    timer.#alarm = LoopAlarm.make(c.native, fd, () => timer.#ready());
    if (timer.#alarm !== undefined) return timer;
    c.close(fd);
    return undefined;
  }

  /** Calls back once after this number of microseconds; replaces an earlier time. */
  set(microseconds: number): void {
    if (this.#alarm === undefined) return;
    // The kernel takes a time of 0 for "never".
    const nanoseconds = BigInt(Math.max(Math.ceil(1000 * microseconds), 1));
    this.#setting[2] = nanoseconds / 1_000_000_000n;
    this.#setting[3] = nanoseconds % 1_000_000_000n;
    this.c.timerSet(this.fd, 0, new Uint8Array(this.#setting.buffer), null);
    if (!this.#armed) this.#alarm.arm();
    this.#armed = true;
  }

  close(): void {
    this.#alarm?.close();
    if (this.#alarm !== undefined) this.c.close(this.fd);
    this.#alarm = undefined;
  }

  #ready(): void {
    if (this.#alarm === undefined) return;
    // There is nothing to read when the time was replaced after the timer had expired.
    if (this.c.read(this.fd, this.#count, 8) === 8) {
      this.#armed = false;
      this.onTime();
    } else this.#alarm.arm();
  }
}
