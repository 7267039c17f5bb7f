/** A need that is no signal. */
export default (kit) => ({
  name: "needy",
  plan(topology) {
    const { field, programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { field, programs, switches, hosts: {} };
  },
  hosts: () => ({ needs: ["round"], open: () => kit.hosts.fixedPath(0) }),
});
