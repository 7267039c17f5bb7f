/**
 * Third-party v1model programs that tools compare generators with: by repository, the paths of programs. They are fetched by hand into
 * `CORPUS/OWNER+NAME/PATH`, with the files that they include; none is part of the project.
 */
export interface ThirdParty {
  /** `OWNER/NAME PATH`. */
  readonly name: string;
  /** In the folder of all repositories. */
  readonly path: string;
  readonly defines: readonly string[];
  /** Folders of included files, in the folder of all repositories. */
  readonly include: readonly string[];
}

/** A path, and behind it macros and, with -I, folders of included files. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "p4lang/p4app": ["examples/simple_counter.p4app/simple_counter.p4"],
  "jafingerhut/p4-guide": [
    "demo1/demo1.p4_16.p4",
    "demo2/demo2.p4_16.p4",
    "lpmtester/lpmtester.p4",
    "ptf-tests/idletimeout/idletimeout.p4",
    "ptf-tests/duplicatekeys/duplicatekeys.p4",
    "ptf-tests/matchkinds/matchkinds.p4",
    "ptf-tests/packetinout/packetinout.p4",
    "ptf-tests/registeraccess/registeraccess.p4",
    "demo7/demo7.p4",
    "action-profile-and-selector/action-selector.p4",
    "tcp-options-parser/tcp-options-parser.p4",
    "v1model-special-ops/v1model-more-externs.p4",
  ],
  "p4lang/tutorials": [
    "exercises/basic/solution/basic.p4",
    "exercises/basic_tunnel/solution/basic_tunnel.p4",
    "exercises/source_routing/solution/source_routing.p4",
    "exercises/multicast/solution/multicast.p4",
    "exercises/calc/solution/calc.p4",
    "exercises/ecn/solution/ecn.p4",
    "exercises/load_balance/solution/load_balance.p4",
    "exercises/qos/solution/qos.p4",
    "exercises/mri/solution/mri.p4",
    "exercises/link_monitor/solution/link_monitor.p4",
    "exercises/firewall/solution/firewall.p4",
    "exercises/p4runtime/advanced_tunnel.p4",
    "exercises/flowcache/solution/flowcache.p4",
  ],
  "nsg-ethz/p4-learning": [
    "exercises/01-Reflector/solution/reflector.p4",
    "exercises/04-L2_Learning/p4runtime/solution/p4src/l2_learning_digest.p4",
    "exercises/05-ECMP/solution/p4src/ecmp.p4",
    "exercises/05-Flowlet_Switching/solution/p4src/flowlet_switching.p4",
    "exercises/06-Heavy_Hitter_Detector/solution/heavy_hitter.p4",
    "exercises/07-Count-Min-Sketch/solution/p4src/cm-sketch.p4",
    "exercises/09-Traceroutable/solution/p4src/traceroutable.p4",
    "exercises/10-Congestion_Aware_Load_Balancing/solution/p4src/loadbalancer.p4",
    "exercises/12-Fast-Reroute/solution/p4src/fast_reroute.p4",
    "exercises/11-Packet-Loss-Detection/solution/p4src/loss-detection.p4",
    "exercises/04-MPLS/p4runtime/mpls_stacked/solution/stacked.p4",
    "exercises/04-RSVP/p4runtime/solution/rsvp.p4",
  ],
  "rachitnigam/Hula-hoop": ["switch.p4"],
  "navy1999/NAP": ["p4src/hula.p4", "p4src/ecmp.p4"],
  "usi-systems/p4xos-public": ["p4-16/p4src/leader.p4", "p4-16/p4src/acceptor.p4", "p4-16/p4src/learner.p4"],
  "opennetworkinglab/onos": [
    "pipelines/basic/src/main/resources/basic.p4",
    "pipelines/basic/src/main/resources/int.p4",
    "apps/p4-tutorial/pipeconf/src/main/resources/mytunnel.p4",
    "pipelines/fabric/impl/src/main/resources/fabric.p4 TARGET_BMV2 CPU_PORT=255 WITH_PORT_COUNTER",
  ],
  "byllyfish/finsy": ["examples/ngsdn/ngsdn/p4/main.p4", "examples/int/p4/int_v1.0/int.p4"],
  "opennetworkinglab/ngsdn-tutorial": ["solution/p4src/main.p4"],
  "netgroup/p4-srv6": ["p4src/main.p4 CPU_PORT=255"],
  "p4lang/p4-applications": ["research_projects/PRECISION/src/precision.p4"],
  "Princeton-Cabernet/p4-projects": ["AES.p4app/AES.p4", "ONTAS/bmv2_p4_16/src/p4anony.p4"],
  "dlekkas/netcache": ["src/p4/core/netcache.p4"],
  "denght23/CAVER_bmv2": ["CAVER.p4", "switch.p4"],
  "nsg-ethz/Blink": ["p4_code/main.p4"],
  "omec-project/up4": ["p4src/main.p4"],
  "stratum/stratum": ["stratum/pipelines/main/main.p4"],
  "GEANT-DataPlaneProgramming/int-platforms": ["p4src/int_v1.0/int.p4 BMV2"],
  "drobinkent/CLB": ["p4src/src/leaf.p4 BITMASK_LENGTH=16", "p4src/src/spine.p4 BITMASK_LENGTH=16"],
  "stratum/fabric-tna": ["p4src/v1model/fabric_v1model.p4 -Ip4src"],
  "sonic-net/sonic-pins": ["sai_p4/instantiations/google/middleblock.p4"],
  "sonic-net/DASH": ["dash-pipeline/bmv2/dash_bmv2_v1model.p4"],
  "drobinkent/P4TE-Release": ["p4src/src/leaf.p4", "p4src/src/spine.p4"],
  "rare-freertr/RARE-bmv2": ["02-PE-labs/p4src/router.p4"],
};

export const THIRD_PARTY: readonly ThirdParty[] = Object.entries(PROGRAMS).flatMap(
  ([repository, programs]) => {
    const folder = repository.replace("/", "+");
    return programs.map((line) => {
      const [path = "", ...more] = line.split(" ");
      return {
        name: `${repository} ${path}`,
        path: `${folder}/${path}`,
        defines: more.filter((word) => !word.startsWith("-I")),
        include: more.flatMap((word) => (word.startsWith("-I") ? [`${folder}/${word.slice(2)}`] : [])),
      };
    });
  },
);
