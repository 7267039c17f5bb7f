/**
 * The pending events of a simulation, ordered by time and, at equal times, by the order in which the events were pushed. This
 * tie-break makes a run repeatable.
 *
 * Nearly all events of a network are a few microseconds in the future: arrivals of frames, ports that become free. They are in a
 * wheel, an array of buckets. Each bucket covers a span of time, and holds its events in the order of their pushes; only the
 * bucket at the clock is sorted. Events beyond the wheel, mostly timers, are in a heap until the wheel reaches their
 * time. So the cost of an event does not grow with the number of events.
 */
import { EventHeap } from "./event-heap.js";

const BUCKETS = 1024;
const MASK = BUCKETS - 1;

/** Spans in nanoseconds, powers of two, so that times divide by them exactly. */
const FIRST_SPAN = 64;
const MIN_SPAN = 1;
const MAX_SPAN = 2 ** 30;
/**
 * The span is halved when the buckets with events have more than this number on average. It is doubled when they have fewer
 * than the minimum, and the wheel is too short for this share of the events.
 */
const MANY = 6;
const FEW = 1.5;
const FAR_SHARE = 1 / 4;
/** Number of buckets with events between two checks of that average. */
const REVIEW = 512;
/** A push that passes this number of events of a sorted bucket makes the span smaller at once. */
const MAX_STEPS = 64;

/** No node, bucket or place. */
const NONE = -1;

/** A node is four doubles: its time, then kind and argument as integers, then the next node of its list, and padding. */
const DOUBLES = 4;
const INTEGERS = 2 * DOUBLES;
const KIND = 2;
const ARGUMENT = 3;
const NEXT = 4;

export class EventQueue {
  #capacity: number;
  /** Two views of the nodes. */
  #times: Float64Array;
  #words: Int32Array;
  /** Nodes without an event, as a list. */
  #free = NONE;
  /** First and last node of each bucket. */
  readonly #first = new Int32Array(BUCKETS).fill(NONE);
  readonly #last = new Int32Array(BUCKETS).fill(NONE);
  /** A bit for each bucket that has events. */
  readonly #filled = new Int32Array(BUCKETS >> 5);
  #inWheel = 0;
  readonly #far = new EventHeap();
  /** Index of the bucket at the clock, the time at which that bucket begins, and the time at which the wheel ends. */
  #place = 0;
  #start = 0;
  #end = BUCKETS * FIRST_SPAN;
  #span = FIRST_SPAN;
  #perNs = 1 / FIRST_SPAN;
  /** The events of that bucket, sorted; and the event that was inserted last. */
  #head = NONE;
  #tail = NONE;
  #lastSortedIn = NONE;
  #size = 0;
  /** Since the last check: buckets with events, their events, and how many of these had been in the heap. */
  #buckets = 0;
  #events = 0;
  #hadBeenFar = 0;

  /** The event of the last successful {@link pop}: time in nanoseconds, kind, argument. */
  time = 0;
  kind = 0;
  argument = 0;

  constructor(capacity = 1024) {
    this.#capacity = capacity;
    this.#times = new Float64Array(DOUBLES * capacity);
    this.#words = new Int32Array(this.#times.buffer);
    this.#addFree(0);
  }

  get size(): number {
    return this.#size;
  }

  /** Time of the earliest event; Infinity when there is none. */
  get nextTime(): number {
    if (this.#head !== NONE) return this.#times[DOUBLES * this.#head]!;
    const distance = this.#nextFilled();
    if (distance === NONE) return this.#far.nextTime;
    let least = Number.POSITIVE_INFINITY;
    for (
      let node = this.#first[(this.#place + distance) & MASK]!;
      node !== NONE;
      node = this.#words[INTEGERS * node + NEXT]!
    )
      least = Math.min(least, this.#times[DOUBLES * node]!);
    return least;
  }

  push(time: number, kind: number, argument: number): void {
    this.#size++;
    if (time >= this.#end) {
      this.#far.push(time, kind, argument);
      return;
    }
    if (this.#free === NONE) this.#grow();
    const node = this.#free;
    const words = this.#words;
    const at = INTEGERS * node;
    this.#free = words[at + NEXT]!;
    this.#times[DOUBLES * node] = time;
    words[at + KIND] = kind;
    words[at + ARGUMENT] = argument;
    const distance = (time - this.#start) * this.#perNs;
    if (distance < 1) this.#sortIn(node, time);
    // The difference of two times may be rounded up.
    else this.#append(node, (this.#place + (distance < BUCKETS ? distance : MASK)) & MASK);
  }

  /**
   * If the earliest event is not later than `until`, removes it and stores it in {@link time}, {@link kind} and {@link argument};
   * otherwise, or when there is none, returns false.
   */
  pop(until = Number.POSITIVE_INFINITY): boolean {
    if (this.#head === NONE && !this.#advance(until)) return false;
    const node = this.#head;
    const time = this.#times[DOUBLES * node]!;
    if (time > until) return false;
    const words = this.#words;
    const at = INTEGERS * node;
    const next = words[at + NEXT]!;
    this.#head = next;
    if (next === NONE) this.#tail = NONE;
    if (node === this.#lastSortedIn) this.#lastSortedIn = NONE;
    this.time = time;
    this.kind = words[at + KIND]!;
    this.argument = words[at + ARGUMENT]!;
    words[at + NEXT] = this.#free;
    this.#free = node;
    this.#size--;
    this.#events++;
    return true;
  }

  #startAt(time: number): void {
    this.#start = time;
    this.#end = time + BUCKETS * this.#span;
  }

  /** Puts a node into its bucket, which is not the one at the clock. */
  #append(node: number, place: number): void {
    const words = this.#words;
    words[INTEGERS * node + NEXT] = NONE;
    const last = this.#last[place]!;
    this.#last[place] = node;
    if (last === NONE) {
      this.#first[place] = node;
      this.#filled[place >> 5]! |= 1 << (place & 31);
    } else words[INTEGERS * last + NEXT] = node;
    this.#inWheel++;
  }

  /** Inserts a node into the sorted list, after those of the same time. */
  #sortIn(node: number, time: number): void {
    const times = this.#times;
    const words = this.#words;
    const tail = this.#tail;
    if (tail === NONE || times[DOUBLES * tail]! <= time) {
      words[INTEGERS * node + NEXT] = NONE;
      if (tail === NONE) this.#head = node;
      else words[INTEGERS * tail + NEXT] = node;
      this.#tail = node;
      return;
    }
    // Most pushes are not before the last one.
    const last = this.#lastSortedIn;
    let before = last !== NONE && times[DOUBLES * last]! <= time ? last : NONE;
    let after = before === NONE ? this.#head : words[INTEGERS * before + NEXT]!;
    let steps = 0;
    while (times[DOUBLES * after]! <= time) {
      before = after;
      after = words[INTEGERS * after + NEXT]!;
      steps++;
    }
    words[INTEGERS * node + NEXT] = after;
    if (before === NONE) this.#head = node;
    else words[INTEGERS * before + NEXT] = node;
    this.#lastSortedIn = node;
    if (steps > MAX_STEPS && this.#span > MIN_SPAN) this.#spread();
  }

  /** Number of buckets from the clock's to the next one that has events; none when the wheel is empty. */
  #nextFilled(): number {
    if (this.#inWheel === 0) return NONE;
    const filled = this.#filled;
    const from = (this.#place + 1) & MASK;
    let word = from >> 5;
    let bits = filled[word]! & (-1 << (from & 31));
    while (bits === 0) {
      word = (word + 1) & (filled.length - 1);
      bits = filled[word]!;
    }
    const place = 32 * word + 31 - Math.clz32(bits & -bits);
    return (place - this.#place) & MASK;
  }

  /**
   * Advances to the next bucket with events and sorts them. Does not advance, and returns false, when they are all later than
   * `until`: otherwise later pushes would be before the bucket.
   */
  #advance(until: number): boolean {
    if (this.#buckets >= REVIEW) {
      this.#review();
      if (this.#head !== NONE) return true;
    }
    const distance = this.#nextFilled();
    if (distance === NONE) {
      const time = this.#far.nextTime;
      if (time === Number.POSITIVE_INFINITY || time > until) return false;
      this.#startAt(Math.floor(time * this.#perNs) * this.#span);
      this.#takeFromFar();
      this.#buckets++;
      return true;
    }
    const start = this.#start + distance * this.#span;
    if (start > until) return false;
    const place = (this.#place + distance) & MASK;
    this.#startAt(start);
    this.#place = place;
    this.#buckets++;
    this.#filled[place >> 5]! &= ~(1 << (place & 31));
    const first = this.#first[place]!;
    const last = this.#last[place]!;
    this.#first[place] = NONE;
    this.#last[place] = NONE;
    if (first === last) {
      this.#head = first;
      this.#tail = last;
      this.#inWheel--;
    } else this.#sort(first);
    this.#takeFromFar();
    return true;
  }

  /** Sorts a list of a bucket by time, a merge sort that keeps the order of equal times, and makes it the list at the clock. */
  #sort(first: number): void {
    const times = this.#times;
    const words = this.#words;
    let list = first;
    for (let size = 1; ; size *= 2) {
      let rest = list;
      let merges = 0;
      let tail = NONE;
      let total = 0;
      while (rest !== NONE) {
        merges++;
        let a = rest;
        let aSize = 0;
        while (aSize < size && rest !== NONE) {
          aSize++;
          rest = words[INTEGERS * rest + NEXT]!;
        }
        let b = rest;
        let bSize = size;
        total += aSize;
        while (aSize > 0 || (bSize > 0 && b !== NONE)) {
          let node: number;
          if (aSize > 0 && (bSize === 0 || b === NONE || times[DOUBLES * a]! <= times[DOUBLES * b]!)) {
            node = a;
            a = words[INTEGERS * a + NEXT]!;
            aSize--;
          } else {
            node = b;
            b = words[INTEGERS * b + NEXT]!;
            bSize--;
            total++;
          }
          if (tail === NONE) list = node;
          else words[INTEGERS * tail + NEXT] = node;
          tail = node;
        }
        rest = b;
      }
      words[INTEGERS * tail + NEXT] = NONE;
      if (merges > 1) continue;
      this.#head = list;
      this.#tail = tail;
      this.#inWheel -= total;
      return;
    }
  }

  /** Moves the events that the wheel has reached from the heap. They were pushed before all others of their buckets. */
  #takeFromFar(): void {
    const far = this.#far;
    while (far.nextTime < this.#end) {
      far.pop();
      this.#hadBeenFar++;
      this.#size--;
      this.push(far.time, far.kind, far.argument);
    }
  }

  /** Makes the span fit the events of the last buckets. */
  #review(): void {
    const mean = this.#events / this.#buckets;
    const isShort = this.#hadBeenFar > FAR_SHARE * this.#events;
    this.#buckets = 0;
    this.#events = 0;
    this.#hadBeenFar = 0;
    if (mean > MANY && this.#span > MIN_SPAN) this.#setSpan(this.#span / 2);
    else if (mean < FEW && isShort && this.#span < MAX_SPAN) this.#setSpan(this.#span * 2);
  }

  /** Spreads the events at the clock over many buckets. */
  #spread(): void {
    let count = 0;
    for (let node = this.#head; node !== NONE; node = this.#words[INTEGERS * node + NEXT]!) count++;
    let span = this.#span;
    for (; count > MANY && span > MIN_SPAN; count /= 2) span /= 2;
    this.#setSpan(span);
  }

  /** Puts all events of the wheel into buckets of another span. Those of one time keep their order. */
  #setSpan(span: number): void {
    const words = this.#words;
    let list = this.#head;
    let tail = this.#tail;
    this.#head = NONE;
    this.#tail = NONE;
    this.#lastSortedIn = NONE;
    for (let distance = this.#nextFilled(); distance !== NONE; distance = this.#nextFilled()) {
      const place = (this.#place + distance) & MASK;
      let node = this.#first[place]!;
      if (tail === NONE) list = node;
      else words[INTEGERS * tail + NEXT] = node;
      tail = this.#last[place]!;
      this.#first[place] = NONE;
      this.#last[place] = NONE;
      this.#filled[place >> 5]! &= ~(1 << (place & 31));
      for (; node !== tail; node = words[INTEGERS * node + NEXT]!) this.#inWheel--;
      this.#inWheel--;
    }
    this.#span = span;
    this.#perNs = 1 / span;
    // Events that were removed are over: the clock need not be before them.
    this.#startAt(Math.floor(Math.max(this.#start, this.time) * this.#perNs) * span);
    while (list !== NONE) {
      const node = list;
      const at = INTEGERS * node;
      list = words[at + NEXT]!;
      words[at + NEXT] = this.#free;
      this.#free = node;
      this.#size--;
      this.push(this.#times[DOUBLES * node]!, words[at + KIND]!, words[at + ARGUMENT]!);
    }
    this.#takeFromFar();
  }

  #addFree(from: number): void {
    for (let node = from; node < this.#capacity; node++)
      this.#words[INTEGERS * node + NEXT] = node + 1 < this.#capacity ? node + 1 : this.#free;
    this.#free = from;
  }

  #grow(): void {
    const from = this.#capacity;
    this.#capacity *= 2;
    const times = new Float64Array(DOUBLES * this.#capacity);
    const words = new Int32Array(times.buffer);
    words.set(this.#words);
    this.#times = times;
    this.#words = words;
    this.#addFree(from);
  }
}
