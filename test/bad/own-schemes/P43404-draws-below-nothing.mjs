/** The bound of a random number was forgotten. */
export default (kit) => ({
  name: "drawing",
  plan(topology) {
    const { field, programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { field, programs, switches, hosts: {} };
  },
  hosts: ({ values }) => ({
    open: (flow, random) => ({ ...kit.hosts.fixedPath(0), onTimeout: () => [random.int(values)] }),
  }),
});
