export default (kit) => ({
  name: "repath",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs, switches, repath: true };
  },
});
