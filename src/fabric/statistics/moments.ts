/** Mean and variance of a stream of samples, without keeping them. */

export class Moments {
  #count = 0;
  #mean = 0;
  /** Sum of squared distances from the mean. */
  #squares = 0;

  /** Welford (Technometrics 4(3), 1962). */
  add(value: number): void {
    this.#count++;
    const distance = value - this.#mean;
    this.#mean += distance / this.#count;
    this.#squares += distance * (value - this.#mean);
  }

  /** Chan, Golub and LeVeque (1979), equation (2.1). */
  merge(other: Moments): void {
    if (other.#count === 0) return;
    const count = this.#count + other.#count;
    const distance = other.#mean - this.#mean;
    this.#mean += (distance * other.#count) / count;
    this.#squares += other.#squares + (distance * distance * this.#count * other.#count) / count;
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** NaN without samples. */
  get mean(): number {
    return this.#count === 0 ? Number.NaN : this.#mean;
  }

  /** Variance of the population from which the samples were drawn (divided by count - 1); NaN for fewer than two. */
  get variance(): number {
    return this.#count < 2 ? Number.NaN : this.#squares / (this.#count - 1);
  }

  /** Variance of the samples themselves (divided by count); NaN without samples. */
  get populationVariance(): number {
    return this.#count === 0 ? Number.NaN : this.#squares / this.#count;
  }

  toJson(): [count: number, mean: number, squares: number] {
    return [this.#count, this.#mean, this.#squares];
  }

  static fromJson([count, mean, squares]: readonly [number, number, number]): Moments {
    const moments = new Moments();
    moments.#count = count;
    moments.#mean = mean;
    moments.#squares = squares;
    return moments;
  }
}

export function momentsOf(samples: Iterable<number>): Moments {
  const moments = new Moments();
  for (const sample of samples) moments.add(sample);
  return moments;
}
