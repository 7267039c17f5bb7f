/** Runs one task at a time, in the order of the calls: Writes and Reads are strictly serial (P4Runtime spec 12.1). */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
