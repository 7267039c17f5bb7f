/** The bundles without a rate, and the remaining capacity of the resources: the data of both ways of filling. */

export class OpenBundles {
  /** By slot: capacity and weight that are left, two numbers each; bundles without a rate. */
  left = new Float64Array(0);
  open = new Int32Array(0);
  /** Bundles without a rate, in columns: number, weight, limit, end of its path. */
  count = 0;
  bundle = new Int32Array(0);
  weight = new Float64Array(0);
  limit = new Float64Array(0);
  end = new Int32Array(0);
  /** Their paths one after the other, as slots. */
  path = new Int32Array(0);

  fit(slots: number, bundles: number, stride: number): void {
    if (this.open.length < slots) {
      this.left = new Float64Array(4 * slots);
      this.open = new Int32Array(2 * slots);
    }
    if (this.bundle.length < bundles) {
      this.bundle = new Int32Array(2 * bundles);
      this.weight = new Float64Array(2 * bundles);
      this.limit = new Float64Array(2 * bundles);
      this.end = new Int32Array(2 * bundles);
      this.path = new Int32Array(2 * bundles * stride);
    }
  }

  /** Where the path of the bundle at this place begins. */
  start(place: number): number {
    return place === 0 ? 0 : this.end[place - 1]!;
  }
}
