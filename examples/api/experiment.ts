/** Runs an experiment file with a seed of its own, and prints its table. */
import { Diagnostics, formatDiagnostic, formatResults, loadExperiment, runExperiment } from "p4loom/experiment";

const diagnostics = new Diagnostics();
const experiment = loadExperiment("examples/pecmp-failover-small.yaml", diagnostics);
if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
const results = await runExperiment(experiment, { seed: 7, runs: 2, out: "out/try" });
console.log(formatResults(results));

/* prints
scheme  failure  runs  N  first try  (theory)  p50 ms  (theory)  p95 ms  (theory)  p99 ms  max ms  re-paths  copies
------  -------  ----  -  ---------  --------  ------  --------  ------  --------  ------  ------  --------  ------
pecmp   tor         2  2    100.0 %   100.0 %  5.1          6.0  5.3          6.0  5.3     5.3         1.00    2.00
pecmp   leaf        2  2    100.0 %   100.0 %  5.6          6.0  5.8          6.0  5.8     5.8         1.00    2.00
pecmp   spine       2  4    100.0 %   100.0 %  6.0          6.0  6.1          6.0  6.1     6.1         1.00    2.00
pecmp   link        2  4    100.0 %   100.0 %  5.4          6.0  6.3          6.0  6.3     6.3         1.00    2.00
prr     tor         2  2      0.0 %    25.0 %  17.3        42.0  89.3        4530  89.3    89.3        3.00    0.00
prr     leaf        2  2     50.0 %    25.0 %  5.6         42.0  89.8        4530  89.8    89.8        2.50    0.00
prr     spine       2  4     50.0 %    56.3 %  6.0          6.0  42.1        90.0  42.1    42.1        2.00    0.00
prr     link        2  4     50.0 %    56.3 %  6.4          6.0  18.3        90.0  18.3    18.3        1.50    0.00
none    tor         2  2      0.0 %     0.0 %  never          -  never          -  never   never       0.00    0.00
none    leaf        2  2      0.0 %     0.0 %  never          -  never          -  never   never       0.00    0.00
none    spine       2  4      0.0 %     0.0 %  never          -  never          -  never   never       0.00    0.00
none    link        2  4      0.0 %     0.0 %  never          -  never          -  never   never       0.00    0.00

note: P-ECMP (failover: probe) sends every retransmission after a timeout, and its acknowledgement, on two paths, and an echo option in every segment; this is a mechanism of p4loom, not of the paper.
note: PRR sends one copy of every packet.
*/
