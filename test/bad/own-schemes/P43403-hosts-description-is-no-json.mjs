/** The description of the hosts has a map, which no other process can get. */
export default (kit) => ({
  name: "unwritten",
  plan(topology) {
    const { field, programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { field, programs, switches, hosts: { ports: { used: new Map() } } };
  },
  hosts: () => ({ open: () => kit.hosts.fixedPath(0) }),
});
