/** Why a program is refused or taken, or a test fails, where the message alone does not say it. */
export const CAUSES: Readonly<Record<string, string>> = {
  "psa-action-profile1":
    "the test writes an action into a table with an action profile; P4Runtime and the switch want a member",
  "psa-action-profile3":
    "the test writes an action into a table with an action profile; P4Runtime and the switch want a member",
  "psa-action-profile4":
    "the test writes an action into a table with an action profile; P4Runtime and the switch want a member",
  "psa-hash-08": "the test gives 48 bits for a field of 16",
  "pna-action-selector-1":
    "the test wants the default action of a table with an action selector; such tables of BMv2 have none, and the switch follows it",
  "pna-example-ipsec": "`ipsec_accelerator` is DPDK's own; the switch has none",
  "pna-dpdk-direct-counter-err": "a limit of DPDK's: an action profile and a direct counter in one table",
  "pna-dpdk-direct-meter-err": "a limit of DPDK's: an action profile and a direct meter in one table",
  "psa-example-dpdk-directmeter-1": "a limit of DPDK's: an action profile and a direct meter in one table",
  "pna-example-mirror-packet-error1": "DPDK keeps session 0 for itself",
  "pna-example-miss": "the entry that is added names the action that adds entries, which p4c refuses",
};
