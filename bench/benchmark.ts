/** What a benchmark reports. */

/** One measurement as a benchmark reports it; `rival` where another program was measured in the same run. */
export interface Measurement {
  name: string;
  unit: string;
  value: number;
  rival?: { name: string; value: number };
  /** Further results, printed as they are. */
  more?: Readonly<Record<string, string | number>>;
}

export type Benchmark = (report: (measurement: Measurement) => void) => Promise<void>;
